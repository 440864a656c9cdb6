import { join } from "node:path";
import { expect, test } from "vitest";
import { memory, type Interrupt, type Runnable } from "../../src/index.ts";
import { sqlite } from "../../src/node/index.ts";
import * as flows from "./prototype/flows.ts";
import { newWorld } from "./prototype/world.ts";
import { folder } from "./support/files.ts";
import { playFollowed, recordedOf, type Play, type Readings } from "./support/follow.ts";

const approve = (): unknown => ({ approved: true, note: "fine" });
const fillIn = ({ payload }: Interrupt): unknown => {
  const { problem } = payload as { problem: string | undefined };
  return { email: "a@b.example", age: problem === undefined ? "7" : "30" };
};
const { support, rag, nightly, voice, agent, digest, research, etl, order, form, stepper, dynamic } = flows;
interface Workflow {
  readonly graph: Runnable<never, unknown>;
  readonly input: unknown;
  readonly answer?: Play["answer"];
}

const workflows: readonly Workflow[] = [
  { graph: support, input: { ticket: "other!", from: "me" }, answer: approve },
  { graph: rag, input: { q: "hard", k: 0 } },
  { graph: nightly, input: { since: "monday" } },
  { graph: voice, input: { call: "x" } },
  { graph: agent, input: { messages: [{ role: "user", content: "go" }] }, answer: approve },
  { graph: digest, input: { book: "b" } },
  { graph: research, input: { topic: "t" } },
  { graph: etl, input: { l: "l", r: "r" } },
  { graph: order, input: { sku: "heavy", card: "visa", cents: 5 } },
  { graph: form, input: { user: "u" }, answer: fillIn },
  { graph: stepper, input: { q: "tool" } },
  { graph: dynamic(["de", "fr"]), input: { text: "hi" } },
];

function followed({ graph, input, answer }: Workflow, backends: Play["backends"]): Promise<Readings> {
  newWorld();
  return playFollowed(graph, input as never, { backends, ...(answer !== undefined && { answer }) });
}

function check(told: Readings): void {
  expect(recordedOf(told.followed)).toEqual(recordedOf(told.live));
  expect(told.past).toEqual(told.followed);
  expect(told.tail.length).toBeGreaterThan(1);
  expect(recordedOf(told.tail)).toEqual(recordedOf(told.past).slice(-recordedOf(told.tail).length));
}

test.each(workflows)("who follows $graph.name from another engine is told what a live reader is told", async (flow) => {
  const backend = memory();
  const told = await followed(flow, [backend, backend.another()]);
  expect(told.live.length).toBeGreaterThan(5);
  check(told);
});

test.each(workflows.slice(4, 6))("who follows $graph.name in a file likewise", async (flow) => {
  const path = join(folder(), "runs.db");
  const told = await followed(flow, [sqlite(path, { synchronous: "off" }), sqlite(path, { synchronous: "off" })]);
  expect(told.live.length).toBeGreaterThan(5);
  check(told);
});
