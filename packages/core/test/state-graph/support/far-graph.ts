/** A state graph that a test and a process of its own both know, by its name. */
import { appendFileSync } from "node:fs";
import { pid } from "node:process";
import { append, last, START, stateGraph, type StateGraph } from "../../../src/index.ts";

interface Far {
  readonly items: readonly number[];
  readonly file: string;
  readonly done: { readonly item: number; readonly pid: number }[];
}
interface Item {
  readonly item: number;
  readonly file: string;
}

export const far: StateGraph<Far, { readonly items?: readonly number[]; readonly file?: string }> = stateGraph("far", {
  state: {
    items: last<readonly number[]>([]),
    file: last(""),
    done: append<{ readonly item: number; readonly pid: number }>(),
  },
  nodes: ["work", "hang", "once"],
})
  // The larger the item, the later it is through.
  .node("work", async ({ item }: Item, to, run) => {
    run.emit("working", item);
    await new Promise((resolve) => setTimeout(resolve, item));
    return to.write({ done: { item, pid } });
  })
  // Says that it is there, and is only through at a second try. Not wanted any more, it says that too.
  .node(
    "hang",
    async ({ item, file }: Item, to, run) => {
      appendFileSync(file, `${pid}\n`);
      if (run.attempt > 1) return to.write({ done: { item, pid } });
      await new Promise((resolve) => run.signal.addEventListener("abort", resolve));
      appendFileSync(file, "aborted\n");
      return [];
    },
    { retry: { attempts: 2, initial: 0 } },
  )
  // The same without another try, of items below zero.
  .node("once", async ({ file }: Item, _to, run) => {
    appendFileSync(file, `${pid}\n`);
    await new Promise((resolve) => run.signal.addEventListener("abort", resolve));
  })
  .branch(START, ({ items, file }, to) => items.map((item) => to.send(nodeFor(item, file), { item, file })), [
    "work",
    "hang",
    "once",
  ])
  .compile();

function nodeFor(item: number, file: string): "work" | "hang" | "once" {
  if (item < 0) return "once";
  return file === "" ? "work" : "hang";
}
