/** A generator that waits for credit holds nothing, and is closed all the same by whatever ends the stream that it makes. */
import { describe, expect, test } from "vitest";
import {
  collect,
  derive,
  each,
  fallback,
  graph,
  memory,
  op,
  race,
  sweep,
  text,
  zip,
  type EngineOptions,
  type Graph,
  type Handle,
  type OpCtx,
  type Ref,
} from "../../src/index.ts";
import { checkInvariants } from "../../src/state/invariants.ts";
import { open } from "./support/engines.ts";
import { eventually } from "./support/gate.ts";

const seen = { opened: 0, closed: 0, yielded: 0 };

function* numbers(): Generator<{ k: number }> {
  seen.opened++;
  try {
    for (let k = 0; ; k++) {
      seen.yielded++;
      yield { k };
    }
  } finally {
    seen.closed++;
  }
}

const makers = {
  generator: op("endless", function* (_input: { of?: unknown }) {
    yield* numbers();
  }),
  "async generator": op("endless", async function* (_input: { of?: unknown }) {
    for (const item of numbers()) {
      await Promise.resolve();
      yield item;
    }
  }),
};
type Maker = (typeof makers)["async generator"];

/** Ends when it is told to. */
const hold = op("hold", async ({ k }: { k: number }, { signal }: OpCtx) => {
  await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
  return { k };
});
const full = 2;

/** Gives, or fails, once the generator has been waiting for a while. */
const later = op("later", async ({ fails = false, full = 2 }: { fails?: boolean; full?: number; of?: unknown }) => {
  await suspended(full);
  if (fails) throw new Error("later");
  return { yes: true };
});

async function suspended(items: number): Promise<void> {
  await eventually("the generator made what there is room for", () => seen.yielded >= items);
  for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
  expect(seen).toEqual({ opened: 1, closed: 0, yielded: items });
}

interface End {
  readonly flow: (make: Maker) => Graph<{ xs: number[] }, unknown>;
  readonly options?: EngineOptions;
  readonly happen?: (handle: Handle<unknown>) => unknown;
  readonly comesTo: object;
}

const held = (make: Maker, of?: Ref<unknown>): Ref<number[]> =>
  collect(hold({ k: make({ of }).k }, { buffer: full }).k, { errors: "skip" });

const ends: Readonly<Record<string, End>> = {
  "a run that is cancelled": {
    flow: (make) => graph("g", () => ({ all: held(make) })),
    happen: async (handle) => {
      await suspended(full);
      await handle.cancel();
    },
    comesTo: { status: "cancelled" },
  },
  "a sweep of its stream": {
    flow: (make) =>
      graph("g", (input: Ref<{ xs: number[] }>) => {
        const x = each(input.xs);
        const perItem = race("first", {
          made: () => ({ all: collect(hold({ k: make({ of: x }).k }, { buffer: full }).k) }),
        });
        sweep("stop", { on: later({ of: input.xs }).yes, cancel: [x] });
        return { all: collect(perItem.all) };
      }),
    comesTo: { status: "completed", output: { all: [] } },
  },
  "a race that it lost": {
    flow: (make) =>
      graph("g", () => race("first", { made: () => ({ v: held(make) }), later: () => ({ v: later({}).yes }) })),
    comesTo: { status: "completed", output: { v: true } },
  },
  "the failure of a body that it is in": {
    flow: (make) =>
      graph("g", () =>
        fallback(
          "safe",
          () => ({ all: held(make), said: text`${later({ fails: true }).yes}` }),
          (error) => ({ all: [], said: error.message }),
        ),
      ),
    comesTo: { status: "completed", output: { all: [], said: "later" } },
  },
  "the time limit of a call that it is in": {
    flow: (make) => {
      const inner = graph("inner", (input: Ref<{ n: number }>) => ({ n: input.n, all: held(make) }));
      return graph("g", () => ({ all: inner({ n: 1 }, { timeout: { total: 100 } }).all }));
    },
    comesTo: { status: "failed", errors: [{ code: "Timeout" }] },
  },
  "a failure beside it that is raised": {
    flow: (make) => graph("g", () => ({ all: held(make), said: later({ fails: true }).yes })),
    options: { errors: "raise" },
    comesTo: { status: "failed", errors: [{ message: "later" }] },
  },
  "a zip that ended with the other stream": {
    flow: (make) =>
      graph("g", (input: Ref<{ xs: number[] }>) => {
        const pair = zip(
          { x: later({ of: each(input.xs), full: 1_024 }).yes, k: make({}).k },
          { name: "pairs", uneven: "stop" },
        );
        return { all: collect(derive(pair, ({ x, k }) => `${k} ${x}`)) };
      }),
    comesTo: { status: "completed", output: { all: ["0 true"] } },
  },
};

describe.each(Object.entries(makers))("F03 H39 a suspended %s", (_, make) => {
  describe.each(Object.entries(ends))("is closed by %s", (_end, { flow, options, happen, comesTo }) => {
    test.each([
      ["without a backend", undefined],
      ["with one", memory],
    ])("%s", async (_where, backend) => {
      Object.assign(seen, { opened: 0, closed: 0, yielded: 0 });
      const engine = await open({
        ...options,
        check: checkInvariants,
        ...(backend !== undefined && { backend: backend() }),
      });
      const handle = await engine.start(flow(make as Maker), { xs: [1] });
      await happen?.(handle);
      expect(await handle.result()).toMatchObject(comesTo);
      await eventually("it is closed", () => seen.closed === 1);
      expect(seen.opened).toBe(1);
    });
  });
});
