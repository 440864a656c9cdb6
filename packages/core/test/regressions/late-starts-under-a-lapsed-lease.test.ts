/**
 * H2: whatever an invocation had to wait for after it was let go, its body does not begin while the lease on its run may have
 * lapsed: another engine may have begun it by then.
 */
import { expect, test } from "vitest";
import { z } from "zod";
import {
  collect,
  graph,
  memory,
  op,
  provide,
  resource,
  WrappedBackend,
  type AppendResult,
  type Append,
  type EngineOptions,
  type Runnable,
} from "../../src/index.ts";
import { open } from "../acceptance/support/engines.ts";
import { eventually, gate } from "../acceptance/support/gate.ts";

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

class Lease extends WrappedBackend {
  isAlive = true;

  override alive(): boolean {
    return this.isAlive;
  }
}

/** What stands between an invocation and its body, until the lease has lapsed and the gate is open. */
interface Wait {
  readonly flow: Runnable<{}, unknown>;
  readonly options?: EngineOptions;
  /** Of the run, when the lease lapses. */
  readonly reached: () => boolean;
  readonly open: () => void;
  /** Default 100. */
  readonly lapsedMs?: number;
}

type Setting = (record: () => void) => Wait;

/** Two of one op: the second one waits until the first one is done. */
function inTurn(needs: "permits" | "resource"): Setting {
  return (record) => {
    const door = gate();
    const token = resource<string>("chat");
    let entered = 0;
    const work = op("work", needs === "resource" ? { async: true, needs: { token } } : { async: true }, async () => {
      if (++entered === 1) await door.opened;
      else record();
      return { n: entered };
    });
    const flow = graph("flow", () => ({ a: work({}, { name: "a" }).n, b: work({}, { name: "b" }).n }));
    const options: EngineOptions =
      needs === "resource"
        ? { resources: [provide(token, "t", { limits: { concurrency: 1 } })] }
        : { runConcurrency: 1 };
    return { flow, options, reached: () => entered === 1, open: () => door.open() };
  };
}

const checked = (door: Promise<unknown>, asked: () => void) =>
  z.object({ x: z.number() }).refine(async () => {
    asked();
    await door;
    return true;
  });

const settings: Readonly<Record<string, Setting>> = {
  "a permit of the run": inTurn("permits"),
  "a permit of the engine": (record) => ({ ...inTurn("permits")(record), options: { concurrency: 1 } }),
  "a resource that others use": inTurn("resource"),
  "its turn at a rate": (record) => {
    const token = resource<string>("chat");
    let entered = 0;
    const work = op("work", { async: true, needs: { token } }, async () => {
      if (++entered > 1) record();
      return { n: entered };
    });
    const flow = graph("flow", () => ({ a: work({}, { name: "a" }).n, b: work({}, { name: "b" }).n }));
    const options = { resources: [provide(token, "t", { limits: { rate: { perSecond: 1 } } })] };
    return { flow, options, reached: () => entered === 1, open: () => undefined, lapsedMs: 1_200 };
  },
  "its next attempt": (record) => {
    let entered = 0;
    const work = op("work", { async: true, retry: { attempts: 2, initial: 20, on: () => true } }, async () => {
      if (++entered === 1) throw new Error("not yet");
      record();
      return { n: entered };
    });
    return { flow: graph("flow", () => ({ n: work({}).n })), reached: () => entered === 1, open: () => undefined };
  },
  "a store of kept outputs": (record) => {
    const door = gate();
    let asked = 0;
    const cache = {
      get: async () => (asked++, await door.opened, undefined),
      set: async () => undefined,
      delete: async () => undefined,
    };
    const work = op("work", { async: true, cache: { ttl: "1m" } }, async () => (record(), { n: 1 }));
    const flow = graph("flow", () => ({ n: work({}).n }));
    return { flow, options: { cache }, reached: () => asked > 0, open: () => door.open() };
  },
  "a schema that takes its time": (record) => {
    const door = gate();
    let asked = 0;
    const input = checked(door.opened, () => asked++);
    const work = op("work", { async: true, input }, async () => (record(), { n: 1 }));
    return { flow: graph("flow", () => ({ n: work({ x: 1 }).n })), reached: () => asked > 0, open: () => door.open() };
  },
  "a schema of a generator": (record) => {
    const door = gate();
    let asked = 0;
    const input = checked(door.opened, () => asked++);
    const work = op("work", { input }, async function* () {
      record();
      yield { n: 1 };
    });
    const flow = graph("flow", () => ({ n: collect(work({ x: 1 }).n) }));
    return { flow, reached: () => asked > 0, open: () => door.open() };
  },
};

test.each(Object.entries(settings))("H2 a body that waited for %s", async (_what, setting) => {
  let begun = 0;
  const { flow, options, reached, open: go, lapsedMs = 100 } = setting(() => begun++);
  const backend = new Lease(memory());
  const engine = await open({ backend, graphs: [flow], poll: 5, ...options });
  const handle = await engine.start(flow, {}, { id: "r" });
  await eventually("it waits", reached);
  backend.isAlive = false;
  go();
  await pause(lapsedMs);
  expect(begun).toBe(0);
  backend.isAlive = true;
  expect(await handle.result()).toMatchObject({ status: "completed", errors: [] });
  expect(begun).toBe(1);
});

class SlowLease extends Lease {
  readonly door = gate();
  readonly reached = gate();

  override async append(append: Append): Promise<AppendResult> {
    const result = await super.append(append);
    // `unsafeStart`
    if (!new TextDecoder().decode(append.row.bytes).includes("[20,")) return result;
    this.reached.open();
    await this.door.opened;
    return result;
  }
}

test.each(["op", "generator"])("H2 a body that waited for the record of its unsafe start: %s", async (kind) => {
  let begun = 0;
  const one = op("one", { effect: "unsafe", async: true }, async () => ({ n: ++begun }));
  const many = op("many", { effect: "unsafe" }, async function* () {
    yield { n: ++begun };
  });
  const flow = graph("flow", () => (kind === "op" ? { n: one({}).n } : { n: collect(many({}).n) }));
  const backend = new SlowLease(memory());
  const engine = await open({ backend, graphs: [flow], poll: 5 });
  const handle = await engine.start(flow, {}, { id: "r" });
  await backend.reached.opened;
  backend.isAlive = false;
  backend.door.open();
  await pause(60);
  expect(begun).toBe(0);
  backend.isAlive = true;
  expect(await handle.result()).toMatchObject({ status: "completed" });
  expect(begun).toBe(1);
});

test("H2 a run that is lost meanwhile never begins them", async () => {
  const {
    flow,
    options,
    reached,
    open: go,
  } = settings["a schema that takes its time"]!(() => {
    throw new Error("begun");
  });
  const store = memory();
  const backend = new Lease(store);
  const engine = await open({ backend, graphs: [flow], poll: 5, ...options });
  const handle = await engine.start(flow, {}, { id: "r" });
  await eventually("it waits", reached);
  backend.isAlive = false;
  go();
  await pause(20);
  const other = store.another();
  await other.open("other");
  await store.abandon();
  expect(await other.claim({ statuses: ["running"], limit: 1, at: 1 })).toHaveLength(1);
  await engine.close();
  await expect(handle.result()).rejects.toMatchObject({ code: "EngineClosed" });
});
