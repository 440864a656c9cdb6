/** H11: a run over which engines died was given back by one that could not take it up, and counted as healthy from then on. */
import { expect, test } from "vitest";
import { graph, memory, op, WrappedBackend, type JournalRow } from "../../src/index.ts";
import type { MemoryBackend } from "../../src/backends/memory.ts";
import { open } from "../acceptance/support/engines.ts";
import { eventually } from "../acceptance/support/eventually.ts";

const hang = op("hang", { async: true }, () => new Promise<{ n: number }>(() => undefined));
const flow = graph("flow", () => ({ n: hang({}).n }));

class Unreadable extends WrappedBackend {
  override read(): AsyncIterable<JournalRow> {
    throw new Error("the disk is away");
  }
}

/** A run over which one engine died, and the handle of the one that drives it now. */
async function diedOver(): Promise<MemoryBackend> {
  const first = memory();
  await (await open({ backend: first, graphs: [flow] })).start(flow, {}, { id: "r" });
  await first.abandon();
  const second = first.another();
  await open({ backend: second, graphs: [flow] });
  return second;
}

async function looking(store: MemoryBackend): Promise<MemoryBackend> {
  const handle = store.another();
  await handle.open("looking");
  return handle;
}

test("H11 an engine that cannot read a run does not wipe out the deaths of those that could", async () => {
  const dying = await diedOver();
  const seen = await looking(dying);
  await open({ backend: new Unreadable(dying.another()), graphs: [flow], poll: 5 });
  await dying.abandon();
  await eventually(async () => expect(await seen.get("r")).toMatchObject({ owner: null, epoch: 3, attempts: 2 }));
});

class NeverRead extends WrappedBackend {
  readonly asked = Promise.withResolvers<void>();

  override async *read(runId: string): AsyncIterable<JournalRow> {
    this.asked.resolve();
    await new Promise(() => undefined);
    yield* super.read(runId);
  }
}

test.each(["close", "shutdown"] as const)("H11 nor does one of which %s comes while it takes a run up", async (end) => {
  const dying = await diedOver();
  const seen = await looking(dying);
  const backend = new NeverRead(dying.another());
  const engine = await open({ backend, graphs: [flow], poll: 5 });
  await dying.abandon();
  await backend.asked.promise;
  await engine[end]();
  expect(await seen.get("r")).toMatchObject({ owner: null, epoch: 3, attempts: 2 });
});
