/** What the killed program works on: five runs of three graphs, with an output that no order of events changes. */
import {
  add,
  interrupt,
  cell,
  collect,
  derive,
  each,
  graph,
  op,
  push,
  read,
  reduce,
  type Graph,
  type Ref,
} from "../../../src/index.ts";
import { z } from "zod";
import type { CrashRun } from "../../../src/testing/index.ts";

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** A body that takes `ms` milliseconds; `answer` may throw. */
async function work<T>(ms: number, answer: () => T): Promise<T> {
  await sleep(ms);
  return answer();
}

/** A stream of pages: some are busy twice, some are gone for good; a subgraph and a cell read the rest. */
function shelf(): Graph<{ n: number }, unknown> {
  const pages = op("pages", async function* ({ n }: { n: number }) {
    for (let k = 0; k < n; k++) {
      if (k % 4 === 0) await sleep(1);
      yield { k };
    }
  });
  const retry = { attempts: 3, initial: 3, factor: 2, jitter: "none" } as const;
  const fetchPage = op("fetchPage", { retry }, ({ k }: { k: number }, ctx) =>
    work(2 + 3 * (k % 4), () => {
      if (k % 6 === 1 && ctx.attempt < 3) throw Object.assign(new Error(`page ${k} is busy`), { status: 503 });
      if (k % 9 === 4) throw new Error(`page ${k} is gone`);
      return { words: k * 7 + 1 };
    }),
  );
  const score = op("score", { effect: "pure" }, async ({ words }: { words: number }) =>
    work(1, () => ({ score: words % 10 })),
  );
  const word = op("word", ({ score }: { score: number }) => {
    return { word: score > 4 ? `good ${score}` : `poor ${score}` };
  });
  const judge = graph("judge", (input: Ref<{ words: number }>) => {
    const s = score({ words: input.words });
    return { word: word({ score: s.score }).word, score: s.score };
  });
  const finish = op("finish", ({ total }: { total: number }) => work(2, () => ({ text: `total ${total}` })));
  const words = cell("words", add());
  return graph("shelf", (input: Ref<{ n: number }>) => {
    const fetched = fetchPage({ k: pages({ n: input.n }).k }, { parallel: 4, buffer: 12 });
    const judged = judge({ words: fetched.words }, { parallel: 2 });
    const pushed = push(words, fetched.words);
    const total = reduce("total", judged.score, 0, (sum, score) => sum + score, { errors: "skip" });
    return {
      pages: collect(judged.word, { errors: "settle" }),
      words: read(words, { after: [pushed] }),
      text: finish({ total }).text,
    };
  });
}

/** A stream for each row of a list, folded per row. */
function grid(): Graph<{ n: number }, unknown> {
  const rows = op("rows", ({ n }: { n: number }) =>
    work(1, () => ({ list: Array.from({ length: n }, (_, row) => row) })),
  );
  const columns = op("columns", function* ({ row }: { row: number }) {
    for (let column = 0; column < 4; column++) yield { column, from: row };
  });
  const mark = op("mark", ({ row, column }: { row: number; column: number }) =>
    work(2 + 2 * ((row + column) % 3), () => ({ mark: row * 10 + column })),
  );
  return graph("grid", (input: Ref<{ n: number }>) => {
    const row = each(rows({ n: input.n }).list);
    const { column } = columns({ row }, { parallel: 2 });
    const { mark: value } = mark({ row, column }, { parallel: 2, ordered: true });
    const sum = reduce("sum", value, 0, (total, one) => total + one);
    return { sums: collect(sum), marks: derive(collect(collect(value)), (all) => all.flat().length) };
  });
}

/** Twelve ops in a row, every third of them pure. */
function chain(): Graph<{ n: number }, unknown> {
  const links = Array.from({ length: 12 }, (_, i) =>
    op(`link${i}`, { effect: i % 3 === 0 ? "pure" : "idempotent" }, ({ n }: { n: number }) =>
      work(5 + 4 * (i % 3), () => ({ n: n * 3 + i })),
    ),
  );
  return graph("chain", (input: Ref<{ n: number }>) => {
    let { n } = input;
    for (const link of links) n = link({ n }).n;
    return { n };
  });
}

/** Six ops in a row, a question, and six more. */
function approval(): Graph<{ n: number }, unknown> {
  const links = Array.from({ length: 12 }, (_, i) =>
    op(`step${i}`, ({ n }: { n: number }) => work(4 + (i % 3), () => ({ n: n * 2 + i }))),
  );
  return graph("approval", (input: Ref<{ n: number }>) => {
    let { n } = input;
    for (const link of links.slice(0, 6)) n = link({ n }).n;
    n = interrupt("ask", { n }, { answer: z.object({ n: z.number() }) }).n;
    for (const link of links.slice(6)) n = link({ n }).n;
    return { n };
  });
}

const [s, g, c, a] = [shelf(), grid(), chain(), approval()];

export const jobs: readonly CrashRun[] = [
  { id: "shelf-54", graph: s, input: { n: 54 } },
  { id: "grid-12", graph: g, input: { n: 12 } },
  { id: "chain-1", graph: c, input: { n: 1 } },
  { id: "shelf-36", graph: s, input: { n: 36 } },
  { id: "chain-2", graph: c, input: { n: 2 } },
];

/** That rest in between. */
export const asking: readonly CrashRun[] = [
  { id: "approval-1", graph: a, input: { n: 1 } },
  { id: "approval-2", graph: a, input: { n: 2 } },
];
