/**
 * The inbox of a run that is taken up is read beside its journal. What came for it after that and before it lived here again was told to
 * nobody: the run went on without its answer until somebody looked around.
 */
import { expect, test } from "vitest";
import { z } from "zod";
import {
  graph,
  interrupt,
  memory,
  op,
  openEngine,
  WrappedBackend,
  type JournalRow,
  type Ref,
} from "../../src/index.ts";
import { open } from "../acceptance/support/engines.ts";
import { gate } from "../acceptance/support/gate.ts";

/** Journals are read when the door is opened; `asked`: somebody waits for that. */
class SlowJournal extends WrappedBackend {
  readonly door = gate();
  readonly asked = gate();
  /** Its engine heard that something came for the run. */
  readonly told = gate();
  inboxes = 0;

  override async *read(runId: string, fromSeq?: number): AsyncIterable<JournalRow> {
    this.asked.open();
    await this.door.opened;
    yield* this.inner.read(runId, fromSeq);
  }

  override async arrivals(limit: number): Promise<string[]> {
    const runs = await this.inner.arrivals(limit);
    if (runs.length > 0) setImmediate(() => this.told.open());
    return runs;
  }

  override inbox(runId: string): ReturnType<WrappedBackend["inbox"]> {
    this.inboxes++;
    return this.inner.inbox(runId);
  }
}

const door = gate();
let bodies = 0;
const slow = op("slow", async () => {
  if (++bodies > 1) return { done: true };
  await door.opened;
  return { done: true };
});
const asks = graph("asks", (_input: Ref<{}>) => ({
  done: slow({}).done,
  said: interrupt("p", { text: "what?" }, { answer: z.number() }),
}));

test("H65 an answer that comes while the journal of its run is read is taken up with it", async () => {
  const store = memory();
  const owner = await openEngine({ backend: store, graphs: [asks], warn: () => undefined });
  const handle = await owner.start(asks, {}, { id: "run" });
  handle.result().catch(() => undefined);
  await handle.stream("interrupts")[Symbol.asyncIterator]().next();
  await store.abandon();

  const backend = new SlowJournal(store.another());
  const engine = await open({ backend, graphs: [asks], recover: false, poll: "1h" });
  const resumed = engine.resume("run");
  await backend.asked.opened;
  expect(backend.inboxes).toBe(1);
  const other = await openEngine({ backend: store.another(), recover: false, poll: "1h" });
  await other.answer("run", "p", 7);
  await backend.told.opened;
  backend.door.open();
  expect(await (await resumed).output()).toEqual({ done: true, said: 7 });
  await other.close();
});
