import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { expect, onTestFinished, test } from "vitest";
import {
  callerContext,
  cell,
  append,
  graph,
  interrupt,
  memory,
  op,
  openEngine,
  push,
  type Ref,
} from "../../../src/index.ts";
import { encrypted, sqlite } from "../../../src/node/index.ts";
import { temporaryFolder } from "../temporary-folder.ts";

/** In an input, an output, a blob, an error, an answer, a question, a cell, a caller's context and an item. */
const canaries = ["Inp", "Out", "Blb", "Err", "Ans", "Que", "Cel", "Ctx", "Itm", "Nte", "Car"].map(
  (w) => `canary${w}x7Q`,
);
const [inp, out, blb, err, ans, que, cel, ctx, itm, nte, car] = canaries as [
  string,
  string,
  string,
  string,
  string,
  string,
  string,
  string,
  string,
  string,
  string,
];

const Caller = callerContext("caller", z.object({ user: z.string() }));
const notes = cell("notes", append<string>());
const work = op("work", { context: Caller }, async ({ text }: { text: string }, context) => ({
  out: `${out} ${text.length} ${context.context.user.length}`,
  note: cel,
  big: blb.repeat(10_000),
}));
const bad = op("bad", async (_input: { out: string }): Promise<{ n: number }> => {
  throw Object.assign(new Error(err), { data: { err } });
});
const items = op("items", async function* ({ n }: { n: number }) {
  for (let k = 0; k < n; k++) yield { item: `${itm} ${k}` };
});
const flow = graph("flow", (input: Ref<{ text: string }>) => {
  const { out: made, note, big } = work({ text: input.text });
  bad({ out: made });
  push(notes, note);
  items({ n: 3 });
  const said = interrupt("ask", { que, big }, { answer: z.object({ ok: z.string() }) });
  return { said, made };
});

function everyByteOf(folder: string): Buffer {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Buffer.concat(files.map((entry) => readFileSync(join(entry.parentPath, entry.name))));
}

function found(bytes: Buffer): string[] {
  return canaries.filter((canary) => bytes.includes(canary) || bytes.includes(Buffer.from(canary, "utf16le")));
}

/** Runs to its question in one engine, is answered in another, and leaves notes and what a thread carries on. */
async function playOn(
  folder: string,
  secure: boolean,
): Promise<{ during: string[]; after: string[]; output: unknown }> {
  const key = randomBytes(32);
  const file = join(folder, "runs.db");
  const open = () => (secure ? encrypted(sqlite(file), { keys: [key] }) : sqlite(file));
  const options = { graphs: [flow], warn: () => undefined };
  const first = await openEngine({ ...options, backend: open() });
  const handle = await first.start(flow, { text: inp }, { id: "run", context: { user: ctx } });
  expect((await handle.result()).status).toBe("interrupted");
  const during = found(everyByteOf(folder));
  await first.close();
  const second = await openEngine({ ...options, backend: open() });
  const output = await (await second.answer("run", "ask", { ok: ans })).output();
  const info = await second.get("run");
  expect(JSON.stringify(info)).toContain(inp);
  await second.close();
  const backend = open();
  await backend.open("third");
  const bytes = new TextEncoder().encode(nte);
  const row = { firstSeq: 1, count: 1, bytes, chain: 1 };
  await backend.create({ id: "raw", graph: "g", fingerprint: "f", createdAt: 1, thread: "t", first: row });
  await backend.post({ runId: "raw", kind: "answer", key: "q", bytes, by: null, at: 1, wakes: [] });
  const carry = { whole: true, bytes: new TextEncoder().encode(car) };
  await backend.append({
    runId: "raw",
    epoch: 1,
    row: { ...row, firstSeq: 2 },
    status: "completed",
    release: true,
    carry,
    at: 2,
  });
  const after = [...new Set([...during, ...found(everyByteOf(folder))])];
  await backend.close();
  return { during, after: [...new Set([...after, ...found(everyByteOf(folder))])], output };
}

test("HAZARDS 10: nothing of what a run holds stands in any byte of the database, its WAL or its other files", async () => {
  const folder = temporaryFolder();
  onTestFinished(() => folder.remove());
  const { during, after, output } = await playOn(folder.path, true);
  expect(during).toEqual([]);
  expect(after).toEqual([]);
  expect(output).toMatchObject({ said: { ok: ans } });
  expect(statSync(join(folder.path, "runs.db")).size).toBeGreaterThan(100_000);
});

test("the canaries are where they are looked for: without encryption every one of them is found", async () => {
  const folder = temporaryFolder();
  onTestFinished(() => folder.remove());
  expect((await playOn(folder.path, false)).after.toSorted()).toEqual(canaries.toSorted());
});

test("HAZARDS 10: equal values of equal runs are stored differently each time", async () => {
  const inner = memory();
  const backend = encrypted(inner, { keys: [randomBytes(32)] });
  await backend.open("a");
  const bytes = new TextEncoder().encode("equal");
  const stored = new Set<string>();
  for (let i = 0; i < 50; i++) {
    await backend.create({
      id: `r${i}`,
      graph: "g",
      fingerprint: "f",
      createdAt: 1,
      first: { firstSeq: 1, count: 1, bytes, chain: 7 },
    });
    for await (const row of inner.read(`r${i}`))
      stored.add(`${row.chain} ${Buffer.from(row.bytes.slice(24)).toString("hex")}`);
  }
  expect(stored.size).toBe(50);
  expect(new Set([...stored].map((text) => text.split(" ")[0])).size).toBeGreaterThan(45);
  await backend.close();
});
