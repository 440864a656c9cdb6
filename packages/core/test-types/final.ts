// oxlint-disable eslint/no-unused-vars, eslint/no-unused-expressions -- here the declarations are the assertions
// What a generator returns, exactly.
import { collect, each, final, graph, op, type Item, type Op, type Ref, type Stream } from "../src/index.ts";
import { check, type Equal, type OutputOf } from "./equal.ts";

const read = op("read", async function* (i: { rows: number[] }) {
  for (const row of i.rows) yield { row };
  return { skipped: 1 };
});
const silent = op("silent", function* (i: { rows: number[] }) {
  yield { row: 1 };
});
const plain = op("plain", (i: { rows: number[] }) => ({ row: 1 }));

type OpOutput<G> = G extends Op<infer _, infer O> ? O : never;
check<Equal<OpOutput<typeof read>, Stream<{ row: number }, { skipped: number }>>>();
check<Equal<OpOutput<typeof silent>, Stream<{ row: number }>>>();

const flow = graph("flow", (input: Ref<{ rows: number[] }>) => {
  const item = read({ rows: input.rows });
  const end = final(item);
  const skipped: Ref<number> = end.skipped;
  // @ts-expect-error no such field
  end.skiped;
  // @ts-expect-error a field of an item is not the generator
  final(item.row);
  // @ts-expect-error it returns nothing
  final(silent({ rows: input.rows }));
  // @ts-expect-error no generator
  final(plain({ rows: input.rows }));
  // @ts-expect-error nor is a list
  final(each(input.rows));
  return { rows: item.row, skipped };
});
check<Equal<OutputOf<typeof flow>, { rows: Stream<number>; skipped: number }>>();

const perFile = graph("perFile", (input: Ref<{ files: number[][] }>) => {
  const item = read({ rows: each(input.files) });
  const skipped: Ref<number, Item> = final(item).skipped;
  return { all: collect(skipped), rows: collect(item.row) };
});
check<Equal<OutputOf<typeof perFile>, { all: number[]; rows: Stream<number[]> }>>();
