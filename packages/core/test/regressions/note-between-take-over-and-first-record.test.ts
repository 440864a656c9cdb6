/**
 * An engine took a run at rest up, to answer one of its questions; another process answered the other one, which was there and
 * acknowledged; then the first one died before it had written that the run goes on. The run stood at rest over the answer, and
 * nobody woke it. The same with a cancel, and with runs that are held.
 */
import { expect, test } from "vitest";
import { z } from "zod";
import { graph, interrupt, memory, op, openEngine, type Engine, type Ref, type RunStatus } from "../../src/index.ts";
import { open } from "../acceptance/support/engines.ts";
import { gate } from "../acceptance/support/gate.ts";

let door = gate();
const slow = op("slow", async () => {
  await door.opened;
  return { done: true };
});
const asks = graph("asks", (_input: Ref<{}>) => ({
  done: slow({}).done,
  p: interrupt("p", { text: "one?" }, { answer: z.number() }),
  q: interrupt("q", { text: "two?" }, { answer: z.number() }),
}));

type Store = ReturnType<typeof memory>;

/** At rest, taken up by somebody who has not begun to go on with it. */
async function takenUp(store: Store, status: RunStatus): Promise<Store> {
  const owner = await openEngine({ backend: store.another(), graphs: [asks], recover: false });
  door = gate();
  const handle = await owner.start(asks, {}, { id: "run" });
  const resting = status === "drained" ? handle.drain() : handle.result();
  door.open();
  expect((await resting).status).toBe(status === "drained" ? "drained" : "interrupted");
  await owner.close();
  if (status === "needs_review") {
    const restored = store.another();
    await restored.open("restored");
    await restored.fenceAll({ resume: false, at: 1 });
    await restored.close();
  }
  const taker = store.another();
  await taker.open("the taker");
  const claimed = await taker.claim({ runId: "run", statuses: [status], limit: 1, at: Date.now() });
  expect(claimed).toHaveLength(1);
  return taker;
}

async function said(store: Store, say: (engine: Engine) => Promise<unknown>): Promise<void> {
  const other = await openEngine({ backend: store.another(), recover: false, poll: "1h" });
  await say(other);
  await other.close();
}

test("H65 B9 an answer that was acknowledged counts, also when whoever was taking its run up dies", async () => {
  const store = memory();
  const taker = await takenUp(store, "interrupted");
  await said(store, (engine) => engine.answer("run", "q", 2, { by: "ann" }));
  await taker.abandon();
  const engine = await open({ backend: store.another(), graphs: [asks] });
  const [handle] = engine.recovered;
  expect(await handle?.result()).toMatchObject({ status: "interrupted", interrupts: [{ node: "p" }] });
  await engine.answer("run", "p", 1);
  expect(await engine.get("run")).toMatchObject({ answered: [{ by: "ann" }, {}] });
});

test.each(["interrupted", "drained", "needs_review"] as const)(
  "H65 H55 so does a cancel of a run that is %s",
  async (status) => {
    const store = memory();
    const taker = await takenUp(store, status);
    await said(store, async (engine) => {
      // It waits for the end, which comes when somebody looks.
      engine.cancel("run", "enough").catch(() => undefined);
      await expect.poll(() => taker.inbox("run")).toHaveLength(1);
    });
    await taker.abandon();
    const engine = await open({ backend: store.another(), graphs: [asks] });
    expect(await engine.recovered[0]?.result()).toMatchObject({ status: "cancelled", reason: "enough" });
  },
);

test("a run that is held, and was only being looked at, stays held", async () => {
  const store = memory();
  const taker = await takenUp(store, "drained");
  await taker.abandon();
  const engine = await open({ backend: store.another(), graphs: [asks] });
  expect(engine.recovered).toEqual([]);
  expect((await engine.get("run"))?.status).toBe("drained");
});
