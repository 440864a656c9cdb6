/**
 * An answer that came while its run was being drained is read right after that, by whoever drained it. When that process died
 * in between, the answer lay there until somebody said `resume`.
 */
import { beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { graph, interrupt, memory, op, openEngine, type Backend, type Engine, type Ref } from "../../src/index.ts";
import { open } from "../acceptance/support/engines.ts";
import { eventually, gate } from "../acceptance/support/gate.ts";

let door = gate();
const slow = op("slow", async () => {
  await door.opened;
  return { done: true };
});
const asks = graph("asks", (_input: Ref<{}>) => ({
  ok: interrupt("ok", { text: "go on?" }, { answer: z.boolean() }),
  done: slow({}).done,
}));

/** Told of nothing, and dead when it would look into an inbox. */
function deaf(store: Backend): Backend {
  return new Proxy(store, {
    get(of, key) {
      if (key === "onHint") return undefined;
      if (key === "inbox") return () => Promise.reject(new Error("it died"));
      const value: unknown = Reflect.get(of, key, of);
      return typeof value === "function" ? (value.bind(of) as unknown) : value;
    },
  });
}

let store: ReturnType<typeof memory>;

/** Held, with that in its inbox, and without an owner. */
async function held(say: (engine: Engine) => Promise<unknown>): Promise<void> {
  door = gate();
  const owner = await openEngine({ backend: deaf(store.another()), graphs: [asks], poll: "1h", recover: false });
  const other = await openEngine({ backend: store.another(), poll: "1h", recover: false });
  const handle = await owner.start(asks, {}, { id: "run" });
  await eventually("the question is durable", async () => (await other.get("run"))?.interrupts.length === 1);
  const drained = handle.drain();
  await say(other);
  door.open();
  expect((await drained).status).toBe("drained");
  await owner.close();
  await other.close();
}

const answered = (engine: Engine): Promise<unknown> => engine.answer("run", "ok", true);

beforeEach(() => {
  store = memory();
});

test("W2 the next engine goes on with the run", async () => {
  await held(answered);
  const reader = store.another();
  await reader.open("the reader");
  const [row] = await reader.list();
  expect(row).toMatchObject({ status: "drained", owner: null });
  const engine = await open({ backend: store.another(), graphs: [asks] });
  expect(engine.recovered.map(({ runId }) => runId)).toEqual(["run"]);
  expect(await engine.recovered[0]?.output()).toEqual({ ok: true, done: true });
});

test("W2 and so does one that is open already, when it looks for such runs", async () => {
  const engine = await open({ backend: store.another(), graphs: [asks], poll: 1 });
  await held(answered);
  await expect.poll(async () => (await engine.get("run"))?.status, { timeout: 20_000 }).toBe("completed");
});

test("a run that is held and to which nothing was said stays held", async () => {
  await held(() => Promise.resolve());
  const engine = await open({ backend: store.another(), graphs: [asks], poll: 5 });
  expect(engine.recovered).toEqual([]);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect((await engine.get("run"))?.status).toBe("drained");
});
