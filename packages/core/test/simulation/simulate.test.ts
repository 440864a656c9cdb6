/** R28, R10: a user's own graph, on workers that are killed, stand still and lose their commits. */
import { expect, test } from "vitest";
import { graph, op, provide, type Ref } from "../../src/index.ts";
import { simulate, type SimulationReport } from "../../src/testing/index.ts";
import { blocks, crawl, errand, hurry, order, patient, slowly, Time } from "./flows.ts";

function struck({ faults }: SimulationReport): string[] {
  return Object.entries(faults)
    .filter(([, times]) => times > 0)
    .map(([kind]) => kind);
}

test("R28 R11 P3.1 P3.4 a graph of streams, retries, cells and folds comes to the same on three workers, whatever fails", async () => {
  const report = await simulate(crawl, { input: (seed) => ({ n: seed % 7 }), seeds: 150 });
  expect(report).toMatchObject({ cases: 150, seeds: "1 .. 150", workers: 3, showsOrder: null });
  expect(struck(report)).toHaveLength(9);
  // But for bodies that happened to be at work at three crashes in a row.
  expect(report.compared).toBeGreaterThan(140);
  expect(report.takeovers).toBeGreaterThan(75);
  expect(report.refusedWrites).toBeGreaterThan(10);
  expect(report.bodiesAgain).toBeGreaterThan(50);
});

test("R28 P3.2 K10 H49 questions, a wait of three days and an unsafe op: answered once, waited out, asked about", async () => {
  const report = await simulate(order, {
    input: { text: "tea" },
    answer: ({ node }) => (node === "approve" ? true : undefined),
    seeds: 80,
    runs: 2,
  });
  expect(report).toMatchObject({ cases: 80, completed: 160, compared: 160 });
  expect(report.parked).toBeGreaterThan(160);
  expect(report.answers).toBeGreaterThan(160);
});

test("R28 H47 a run that waits for an answer, and for a next attempt in a minute, is put aside", async () => {
  const report = await simulate(patient, { input: { text: "tea" }, answer: () => true, seeds: 40 });
  expect(report).toMatchObject({ completed: 40, compared: 40 });
  expect(report.parked).toBeGreaterThan(20);
});

test("R28 P3.3 loops and fallbacks are judged by the reference interpreter where failures are told of in any order", async () => {
  const report = await simulate(blocks, { input: (seed) => ({ n: seed % 4 }), seeds: 60, orderFree: true });
  expect(report.cases).toBe(60);
  expect(report.compared).toBeGreaterThan(50);
});

test("R28 a race has nothing to be compared with, and the report says so", async () => {
  const report = await simulate(hurry, { input: { n: 1 }, seeds: 40 });
  expect(report).toMatchObject({ compared: 0, showsOrder: "a race (first)" });
  expect(report.completed + report.failed).toBe(40);
});

test("R28 bodies take the time of the simulation: hours of it pass at once", async () => {
  const began = performance.now();
  const report = await simulate(slowly, {
    input: { xs: [3_600, 7_200, 60] },
    resources: (machine) => [provide(Time, machine)],
    seeds: 12,
    faults: ["kill", "clockJump"],
  });
  // A body of hours may be at work at three crashes in a row.
  expect(report.completed + report.failed).toBe(12);
  expect(report.completed).toBeGreaterThan(6);
  expect(report.compared).toBe(report.completed);
  expect(struck(report).toSorted()).toEqual(["clockJump", "kill"]);
  expect(performance.now() - began).toBeLessThan(60_000);
});

test("R28 P3.8c under exit durability what is lost is done again, and nothing else is", async () => {
  const report = await simulate(crawl, { input: (seed) => ({ n: seed % 7 }), seeds: 60, durability: "exit" });
  expect(report).toMatchObject({ cases: 60, compared: 60, completed: 60 });
  expect(report.takeovers).toBeGreaterThan(20);
  expect(report.bodiesAgain).toBeGreaterThan(40);
  const parking = await simulate(patient, {
    input: { text: "tea" },
    answer: () => true,
    seeds: 40,
    durability: "exit",
  });
  expect(parking).toMatchObject({ completed: 40, compared: 40 });
  expect(parking.answers).toBeGreaterThan(40);
  const refused = simulate(order, { input: { text: "x" }, answer: () => true, durability: "exit" });
  await expect(refused).rejects.toThrow('"charge" of "order" is unsafe, which exit durability does not run');
});

test("R28 only what is asked for goes wrong, and with nothing at all no run changes hands", async () => {
  const report = await simulate(crawl, { input: { n: 3 }, seeds: 20, faults: [] });
  expect(struck(report)).toEqual([]);
  expect(report).toMatchObject({ takeovers: 0, refusedWrites: 0, bodiesAgain: 0, completed: 20 });
});

test("the same seeds play the same cases, and other seeds other ones", async () => {
  const play = (from: number): Promise<SimulationReport> =>
    simulate(crawl, { input: { n: 5 }, seeds: Array.from({ length: 25 }, (_, i) => from + i) });
  const first = await play(1);
  expect(await play(1)).toEqual(first);
  expect(await play(1_001)).not.toEqual({ ...first, seeds: "1001 .. 1025" });
});

test("wrong settings are refused with what can be", async () => {
  const plain = graph("plain", (input: Ref<{ n: number }>) =>
    op("one", ({ n }: { n: number }) => ({ n }))({ n: input.n }),
  );
  const refused = { code: "InvalidOption" };
  await expect(simulate(plain, { input: { n: 1 }, seeds: 0 })).rejects.toMatchObject(refused);
  await expect(simulate(plain, { input: { n: 1 }, seeds: [1.5] })).rejects.toMatchObject(refused);
  await expect(simulate(plain, { input: { n: 1 }, workers: 0 })).rejects.toMatchObject(refused);
  await expect(simulate(plain, { input: { n: 1 }, faults: ["flood" as "kill"] })).rejects.toThrow(
    "there are kill, stall",
  );
  await expect(simulate(order, { input: { text: "x" } })).rejects.toThrow('"approve" of "order" waits for an answer');
});

test("R28 S11 a workflow comes to the same on three workers, whatever fails", async () => {
  const report = await simulate(errand, {
    input: (seed) => ({ n: seed % 4 }),
    answer: () => true,
    seeds: 60,
    orderFree: true,
  });
  expect(report).toMatchObject({ cases: 60, completed: 60, showsOrder: null });
  expect(report.compared).toBeGreaterThan(55);
  expect(report.takeovers).toBeGreaterThan(20);
  expect(await simulate(errand, { input: { n: 1 }, answer: () => true, seeds: 1 })).toMatchObject({
    showsOrder: "the workflow errand",
  });
});
