/** What a run is asked to do between the moment it is put aside and the moment that is durable. */
import { beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { collect, each, graph, interrupt, memory, op, type Engine, type Handle, type Ref } from "../../src/index.ts";
import { checkInvariants } from "../../src/state/invariants.ts";
import { open } from "../acceptance/support/engines.ts";
import { Faulty } from "../acceptance/support/faulty.ts";
import { gate } from "../acceptance/support/gate.ts";

const note = op("note", async ({ age }: { age: number }) => ({ age }));
const poll = graph("poll", (input: Ref<{ names: string[] }>) => {
  const name = each(input.names);
  const answer = interrupt("ask", { name }, { answer: z.object({ age: z.number() }) });
  return { ages: collect(note({ age: answer.age }).age) };
});

let engine: Engine;
let handle: Handle<unknown>;
/** The run is being put aside for the second time. */
let leaving: Promise<void>;

beforeEach(async () => {
  let parked = 0;
  const left = gate();
  leaving = left.opened;
  const backend = new Faulty(memory(), {
    before: async ({ status }) => {
      if (status !== "interrupted" || ++parked !== 2) return;
      left.open();
      await new Promise((resolve) => setTimeout(resolve, 20));
    },
  });
  engine = await open({ backend, graphs: [poll], check: checkInvariants });
  handle = (await engine.start(poll, { names: ["a", "b"] })) as Handle<unknown>;
  await handle.result();
  await handle.answer("poll/input.names[0]/ask", { age: 1 });
  await leaving;
});

test("an answer waits for that, and the run goes on with it", async () => {
  await handle.answer("ask", { age: 2 });
  expect(await handle.result()).toMatchObject({ status: "completed", output: { ages: [1, 2] } });
});

test("resume waits for that", async () => {
  const resumed = await engine.resume(handle.runId);
  expect(await resumed.result()).toMatchObject({ status: "interrupted" });
  await resumed.answer("ask", { age: 2 });
  expect(await resumed.result()).toMatchObject({ status: "completed", output: { ages: [1, 2] } });
});

test("cancel waits for that", async () => {
  expect(await handle.cancel("enough")).toMatchObject({ status: "cancelled", reason: "enough" });
  expect(await engine.get(handle.runId)).toMatchObject({ status: "cancelled" });
});
