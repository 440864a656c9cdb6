/**
 * Somebody waited in one engine for a run that another one drives, and closed theirs: what they were told was that the
 * backend was not open, as if they had done something wrong with it.
 */
import { expect, test } from "vitest";
import { graph, interrupt, memory, op, openEngine, type RunRow, type StandardSchemaV1 } from "../../src/index.ts";
import { WrappedBackend } from "../../src/backends/wrapped.ts";
import { eventually, gate } from "../acceptance/support/gate.ts";

const text: StandardSchemaV1<string, string> = {
  "~standard": { version: 1, vendor: "test", validate: (value) => ({ value: value as string }) },
};

/** Whoever asks for a row waits for it. */
class Slow extends WrappedBackend {
  waiting = 0;
  door: Promise<void> | null = null;

  override async get(runId: string): Promise<RunRow | undefined> {
    if (this.door === null) return super.get(runId);
    this.waiting++;
    await this.door;
    return super.get(runId);
  }
}

test("H52 whoever waits for a run elsewhere is told that the engine was closed", async () => {
  const held = gate();
  const hold = op("hold", async () => {
    await held.opened;
    return { n: 1 };
  });
  const flow = graph("flow", () => ({ said: interrupt("ask", null, { answer: text }), n: hold({}).n }));
  const store = memory();
  await using owner = await openEngine({ backend: store, graphs: [flow] });
  await owner.start(flow, {}, { id: "r" });
  const backend = new Slow(store.another());
  const other = await openEngine({ backend, graphs: [flow], poll: "1h" });
  const handle = await other.answer("r", "ask", "yes");
  const door = gate();
  backend.door = door.opened;
  const told = Promise.allSettled([handle.result(), handle.output(), other.answer("r", "ask", "again")]);
  // Who waits for the result and who waits for the output share a question.
  await eventually("both kinds ask for the row", () => backend.waiting >= 2);
  await other.close();
  door.open();
  const codes = (await told).map((one) =>
    one.status === "rejected" ? (one.reason as { code?: string }).code : "none",
  );
  expect(codes).toEqual(["EngineClosed", "EngineClosed", "EngineClosed"]);
  held.open();
});
