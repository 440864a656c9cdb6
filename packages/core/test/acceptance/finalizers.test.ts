import { expect, test } from "vitest";
import { derive, each, graph, memory, onEnd, op, type Ref } from "../../src/index.ts";
import { checkInvariants } from "../../src/state/invariants.ts";
import { VirtualClock } from "./support/clock.ts";
import { crashEverywhere, open } from "./support/engines.ts";
import { forever } from "./support/gate.ts";

const check = { check: checkInvariants };
let log: string[] = [];

const lease = op("lease", async () => {
  log.push("leased");
  return { id: "l1" };
});
const work = op("work", async ({ how }: { how: "ok" | "throw" | "hang" }) => {
  if (how === "throw") throw new Error("broken");
  if (how === "hang") await forever();
  return { done: true };
});
const release = op("release", async ({ id, status, failures }: { id: string; status: string; failures: number }) => {
  log.push(`released ${id} ${status} ${failures}`);
  return {};
});
const g = graph("leased", (input: Ref<{ how: "ok" | "throw" | "hang" }>) => {
  const l = lease();
  const w = work({ how: input.how }, { after: [l] });
  onEnd("cleanUp", (end) => {
    release({ id: l.id, status: end.status, failures: derive(end.errors, (errors) => errors.length) });
  });
  return { done: w.done };
});

test("a finalizer runs once however the run ended, and the run ends as it was to end", async () => {
  const engine = await open(check);
  log = [];
  expect(await engine.run(g, { how: "ok" })).toEqual({ done: true });
  expect(log).toEqual(["leased", "released l1 completed 0"]);
  log = [];
  expect(await (await engine.start(g, { how: "throw" })).result()).toMatchObject({
    status: "failed",
    errors: [{ node: "work" }],
  });
  expect(log).toEqual(["leased", "released l1 failed 1"]);
  log = [];
  expect(await (await engine.start(g, { how: "throw" }, { errors: "raise" })).result()).toMatchObject({
    status: "failed",
  });
  expect(log).toEqual(["leased", "released l1 failed 1"]);
  log = [];
  const handle = await engine.start(g, { how: "hang" });
  await expect.poll(() => log).toEqual(["leased"]);
  expect(await handle.cancel("enough")).toMatchObject({ status: "cancelled", reason: "enough" });
  expect(log).toEqual(["leased", "released l1 cancelled 0"]);
});

test("it runs after a crash at every record too", async () => {
  await crashEverywhere(
    g,
    { how: "throw" },
    ({ cut, result }) =>
      expect({ cut, result }).toMatchObject({ cut, result: { status: "failed", errors: [{ node: "work" }] } }),
    check,
  );
});

test("its failure is recorded, and its time is bounded", async () => {
  const clock = new VirtualClock();
  const bad = graph("bad", (input: Ref<{ how: "throw" | "hang" }>) => {
    onEnd("atEnd", () => work({ how: input.how }), { timeout: "10s" });
    return { done: work({ how: "ok" }, { name: "first" }).done };
  });
  for (const backend of [undefined, memory()]) {
    const engine = await open({ clock, ...check, ...(backend !== undefined && { backend }) });
    const throws = await clock.until((await engine.start(bad, { how: "throw" })).result());
    expect(throws).toMatchObject({ status: "completed", output: { done: true }, errors: [{ node: "atEnd/work" }] });
    const begun = clock.elapsed;
    const hangs = await clock.until((await engine.start(bad, { how: "hang" })).result());
    expect(hangs).toMatchObject({ status: "completed", errors: [{ node: "atEnd", code: "FinalizerTimeout" }] });
    expect(clock.elapsed - begun).toBe(10_000);
  }
});

test("a finalizer belongs to the run", () => {
  expect(() =>
    graph("perItem", (input: Ref<{ xs: string[] }>) => {
      const x = each(input.xs);
      onEnd("e", () => release({ id: x, status: "", failures: 0 }));
      return {};
    }),
  ).toThrow(/finalizers belong to the run/);
});
