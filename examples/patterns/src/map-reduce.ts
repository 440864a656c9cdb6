/** Map-reduce of dynamic width: how many there are is only known while it runs, on two levels. */
import { collect, each, graph, op, openEngine, reduce, type Ref } from "millrace";

const chapters = op("chapters", ({ book }: { book: string }) => ({
  list: book.split("\n").map((line) => ({ title: line.split(":")[0]!, words: line.split(":")[1]!.trim().split(" ") })),
}));
let busy = 0;
let most = 0;
const measure = op("measure", async ({ word }: { word: string }) => {
  most = Math.max(most, ++busy);
  await new Promise((resolve) => setTimeout(resolve, 1));
  busy--;
  return { letters: word.length };
});
const sum = op("sum", ({ title, letters }: { title: string; letters: readonly number[] }) => ({
  title,
  letters: letters.reduce((all, n) => all + n, 0),
}));

const count = graph("count", (input: Ref<{ book: string }>) => {
  const chapter = each(chapters({ book: input.book }).list);
  const measured = measure({ word: each(chapter.words) }, { parallel: 2 }); // per word, two at a time in a chapter
  const sums = sum({ title: chapter.title, letters: collect(measured.letters) }); // per chapter
  return { chapters: collect(sums), total: reduce("total", sums.letters, 0, (all, n) => all + n) };
});

const engine = await openEngine({ runConcurrency: 3 }); // and three at a time in all
console.log(await engine.run(count, { book: "one: the mill by the river\ntwo: turns\nthree: all day long" }));
console.log(`at most ${most} at once`);
await engine.close();
