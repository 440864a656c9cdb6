/** Commands that look after threads: the real program over a real file. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { append, cell, graph, interrupt, openEngine, push, read, type Ref } from "@millrace/core";
import { sqlite } from "@millrace/core/node";
import { hasStack, millrace, temporaryFolder } from "./cli.ts";

const cwd = temporaryFolder();
const db = "threads.db";
const said = cell("said", append<string>(), { carry: true });
const say = graph("say", (input: Ref<{ text: string }>) => ({ all: read(said, { after: [push(said, input.text)] }) }));
const anything = { "~standard": { version: 1 as const, vendor: "test", validate: (value: unknown) => ({ value }) } };
const ask = graph("ask", () => ({ n: interrupt("wait", {}, { answer: anything }) }));

test("S10 a thread is deleted with all its runs when somebody says yes, and not while one has not ended", async () => {
  const engine = await openEngine({ backend: sqlite(join(cwd, db)), graphs: [say, ask] });
  for (const text of ["one", "two"]) await engine.run(say, { text }, { thread: "t" });
  const waits = await engine.start(ask, {}, { thread: "t", id: "waits" });
  await waits.result();
  const call = (...args: string[]) => millrace(["thread", "delete", ...args, "--db", db], { cwd });
  const busy = await call("t", "--yes");
  expect([busy.code, hasStack(busy.stderr)]).toEqual([5, false]);
  expect(busy.stderr).toContain('thread "t" has a run that has not ended: waits is interrupted');
  await engine.cancel("waits");
  const unasked = await call("t");
  expect([unasked.code, unasked.stderr]).toEqual([2, expect.stringContaining("nobody said yes")]);
  expect((await engine.list({ thread: "t" })).length).toBe(3);
  const deleted = await call("t", "--yes", "--json");
  expect([deleted.code, JSON.parse(deleted.stdout)]).toEqual([0, { thread: "t", runs: 3 }]);
  expect([await engine.list({ thread: "t" }), await engine.carried("t")]).toEqual([[], {}]);
  const gone = await call("t", "--yes");
  expect([gone.code, hasStack(gone.stderr)]).toEqual([3, false]);
  await engine.close();
}, 60_000);
