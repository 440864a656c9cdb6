/** R28: what is wrong on purpose is found, with its seed, what was violated and what happened. */
import { describe, expect, test } from "vitest";
import {
  collect,
  graph,
  interrupt,
  op,
  resource,
  type Append,
  type AppendResult,
  type Backend,
  type Ref,
  type StandardSchemaV1,
} from "../../src/index.ts";
import { WrappedBackend } from "../../src/backends/wrapped.ts";
import type { Post, PostResult } from "../../src/ports/inbox.ts";
import { nextChain } from "../../src/journal/rows.ts";
import { simulate } from "../../src/testing/index.ts";
import { crawl, patient } from "./flows.ts";

const input = (seed: number): { n: number } => ({ n: 1 + (seed % 5) });

/** The first failure, as it is told. */
async function found(play: Promise<unknown>): Promise<string> {
  const error = await play.then(
    () => undefined,
    (thrown: unknown) => thrown as Error & { code?: string },
  );
  expect(error?.code).toBe("SimulationFailed");
  return error?.message ?? "";
}

/** Writes for whoever asks, whatever the epoch, behind whatever is there. */
class Unfenced extends WrappedBackend {
  override async append(append: Append): Promise<AppendResult> {
    const run = await this.inner.get(append.runId);
    if (run === undefined) return this.inner.append(append);
    const { epoch, lastSeq, chain } = run;
    const firstSeq = lastSeq + 1;
    const row = { ...append.row, firstSeq, chain: nextChain(chain, firstSeq, append.row.count, append.row.bytes) };
    return this.inner.append({ ...append, epoch, row });
  }
}

/** Says that it is done, and does it when it is asked for the next thing. */
class Hasty extends WrappedBackend {
  #due: Append[] = [];

  override async append(append: Append): Promise<AppendResult> {
    const due = this.#due.splice(0);
    for (const one of due) await this.inner.append(one);
    if (append.status !== undefined) return this.inner.append(append);
    this.#due.push(append);
    return { type: "ok" };
  }
}

/** Loses every seventh row, and nobody hears of it. */
class Forgetful extends WrappedBackend {
  #count = 0;

  override append(append: Append): Promise<AppendResult> {
    if (append.status === undefined && ++this.#count % 7 === 0) return Promise.resolve({ type: "ok" });
    return this.inner.append(append);
  }
}

/** Says that it has kept what was said to a run of somebody else. */
class Deaf extends WrappedBackend {
  override async post(post: Post): Promise<PostResult> {
    const row = await this.inner.get(post.runId);
    if (post.wakes.length === 0 || row === undefined) return this.inner.post(post);
    return { type: "posted", row, id: 1_000_000 };
  }
}

/** Gives runs away that somebody has. */
class Generous extends WrappedBackend {
  override async claim(request: Parameters<Backend["claim"]>[0]): ReturnType<Backend["claim"]> {
    const rows = await this.inner.claim(request);
    if (rows.length > 0 || request.runId !== undefined) return rows;
    return (await this.inner.list({ status: ["running"] })).slice(0, 1);
  }
}

test("R28 I3 a backend that forgets fencing", async () => {
  const text = await found(simulate(crawl, { input, seeds: 300, backend: (store) => new Unfenced(store) }));
  expect(text).toMatch(/seed \d+: I3: w\d\S* wrote record \d+ under epoch \d+ after epoch \d+/);
  expect(text).toMatch(/what happened:\n {4}0\.000 s {2}w1 starts/);
  expect(text).toContain("stands still");
  const [, seed] = /seeds: \[(\d+)\]/.exec(text) ?? [];
  const again = await found(simulate(crawl, { input, seeds: [Number(seed)], backend: (store) => new Unfenced(store) }));
  expect(again).toBe(text);
});

test("R28 I1 a backend that acknowledges before it is durable", async () => {
  expect(await found(simulate(crawl, { input, seeds: 300, backend: (store) => new Hasty(store) }))).toMatch(
    /I1: record \d+ was acknowledged to w|I2: /,
  );
});

test("R28 I1 I2 a backend that loses rows", async () => {
  expect(await found(simulate(crawl, { input, seeds: 300, backend: (store) => new Forgetful(store) }))).toMatch(
    /I[127]: /,
  );
});

test.each(["sync", "exit"] as const)(
  "R28 I1 K9 a backend that forgets answers that were acknowledged: %s",
  async (durability) => {
    const options = { input: { text: "tea" }, answer: () => true, seeds: 300, durability } as const;
    const text = await found(simulate(patient, { ...options, backend: (store) => new Deaf(store) }));
    expect(text).toMatch(/I1: the answer to patient\/approve by w\S+ was acknowledged, and is not there/);
  },
);

test("R28 I3 a backend that gives a run to two", async () => {
  expect(await found(simulate(crawl, { input, seeds: 300, backend: (store) => new Generous(store) }))).toMatch(
    /I3: w\d\S* was given epoch \d+ after epoch \d+/,
  );
});

test("R28 H37 a generator that yields other items the second time", async () => {
  let calls = 0;
  const dice = op("dice", async function* ({ n }: { n: number }) {
    const call = ++calls;
    for (let k = 0; k < n; k++) yield { k: k * 10 + call };
  });
  const keep = op("keep", async ({ k }: { k: number }) => ({ k }));
  const flow = graph("unsteady", (input: Ref<{ n: number }>) => ({
    all: collect(keep({ k: dice({ n: input.n }).k }).k),
  }));
  expect(await found(simulate(flow, { input: { n: 5 }, seeds: 200 }))).toMatch(/I5: /);
});

test("R28 I5 a body that remembers what it did before", async () => {
  const seen = new Set<string>();
  const first = op("first", async ({ n }: { n: number }, ctx) => {
    const again = seen.has(ctx.idempotencyKey);
    seen.add(ctx.idempotencyKey);
    return { n: again ? n : n + 1 };
  });
  const flow = graph("mindful", (input: Ref<{ n: number }>) => ({ n: first({ n: input.n }).n }));
  const text = await found(simulate(flow, { input: { n: 1 }, seeds: 50 }));
  expect(text).toMatch(/I5: output/);
});

test("R28 a body that goes by real chance is told from one that fails", async () => {
  const roll = op("roll", async () => ({ n: Math.random() }));
  const flow = graph("chance", () => ({ n: roll({}).n }));
  const text = await found(simulate(flow, { input: {}, seeds: 50 }));
  expect(text).toMatch(/I5: output, compared with an uninterrupted run: got 0\.\d+, expected 0\.\d+|I5: output/);
});

test("R28 I7 a body that waits for something real never comes to an end here, and is named", async () => {
  const hang = op("hang", () => new Promise<{ n: number }>(() => undefined));
  const flow = graph("waits", () => ({ n: hang({}, { name: "forever" }).n }));
  expect(await found(simulate(flow, { input: {}, seeds: 1, faults: [] }))).toMatch(
    /I7: run never ended: bodies wait for something that is not of the simulation \(a timer, I\/O, another body\): waits\/forever/,
  );
});

describe("what a caller has to mend is the first that is told, and nothing is tried for ever", () => {
  const text: StandardSchemaV1<string> = {
    "~standard": {
      version: 1,
      vendor: "test",
      validate: (value) => (typeof value === "string" ? { value } : { issues: [{ message: "must be text" }] }),
    },
  };
  const asking = graph("asking", () => ({ said: interrupt("ask", {}, { answer: text }) }));

  test("an answer that does not fit its question", async () => {
    const told = await found(simulate(asking, { input: {}, seeds: 3, answer: () => 5 }));
    expect(told).toMatch(/^simulate\("asking"\): seed 1: .*an answer was refused: .*must be text/);
    expect(told.length).toBeLessThan(3_000);
  });

  test("an answer that throws", async () => {
    const answer = (): never => {
      throw new Error("the stand-in broke");
    };
    const told = await found(simulate(asking, { input: {}, seeds: 3, answer }));
    expect(told).toMatch(/^simulate\("asking"\): seed 1: .*an answer was refused: Error: the stand-in broke/);
  });

  test("a resource that nobody gave", async () => {
    const Bank = resource<{ id: number }>("bank");
    const pay = op("pay", { needs: { bank: Bank } }, (_: object, ctx) => ({ n: ctx.resources.bank.id }));
    const told = await found(
      simulate(
        graph("paying", () => ({ n: pay({}).n })),
        { input: {}, seeds: 3 },
      ),
    );
    expect(told).toMatch(/^simulate\("paying"\): seed 1: .*an engine could not open: .*needs resource "bank"/);
  });

  test("no input at all", async () => {
    const untyped = simulate as (graph: unknown, options?: unknown) => Promise<unknown>;
    for (const options of [undefined, {}, { seeds: 3 }]) {
      await expect(untyped(asking, options)).rejects.toMatchObject({
        code: "InvalidOption",
        message: expect.stringContaining("there is no input") as string,
      });
    }
  });
});
