/**
 * What is killed: three runs of two graphs, each place a schema or a prefix of its own, with leases short enough that whoever
 * comes next need not wait for long.
 */
import { add, cell, collect, graph, op, push, read, type Backend, type Ref } from "../../src/index.ts";
import type { CrashSubject } from "../../src/testing/index.ts";

async function pause(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}

const pages = op("pages", async function* ({ n }: { n: number }) {
  for (let k = 0; k < n; k++) {
    if (k % 4 === 0) await pause(1);
    yield { k };
  }
});
const fetchPage = op(
  "fetchPage",
  { retry: { attempts: 3, initial: 3, jitter: "none" } },
  async ({ k }: { k: number }, ctx) => {
    await pause(2 + 3 * (k % 4));
    if (k % 6 === 1 && ctx.attempt < 3) throw Object.assign(new Error(`page ${k} is busy`), { status: 503 });
    return { words: k * 7 + 1 };
  },
);
const score = op("score", { effect: "pure" }, ({ words }: { words: number }) => ({ score: words % 10 }));
const shelf = graph("shelf", (input: Ref<{ n: number }>) => {
  const words = cell("words", add());
  const page = fetchPage({ k: pages({ n: input.n }).k }, { parallel: 4, buffer: 12 });
  const pushed = push(words, page.words);
  return { scores: collect(score({ words: page.words }).score), words: read(words, { after: [pushed] }) };
});

const links = Array.from({ length: 10 }, (_, i) =>
  op(`link${i}`, async ({ n }: { n: number }) => {
    await pause(5);
    return { n: n * 3 + i };
  }),
);
const chain = graph("chain", (input: Ref<{ n: number }>) => {
  let { n } = input;
  for (const link of links) n = link({ n }).n;
  return { n };
});

export function crashJobs(connect: (place: string) => Backend): CrashSubject {
  return {
    connect,
    runs: [
      { id: "shelf", graph: shelf, input: { n: 40 } },
      { id: "chain-1", graph: chain, input: { n: 1 } },
      { id: "chain-2", graph: chain, input: { n: 2 } },
    ],
  };
}
