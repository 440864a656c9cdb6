// oxlint-disable eslint/no-unused-vars -- here the declarations are the assertions
// Cells: what their reducers take, and what may overwrite them.
import {
  append,
  cell,
  each,
  graph,
  last,
  merge,
  messagesById,
  orderedBy,
  overwrite,
  egress,
  emit,
  push,
  read,
  type Item,
  type Ref,
} from "../src/index.ts";

const log = cell("log", append<string>());
const status = cell("status", last<"open" | "done">("open"));
const table = cell("table", merge<Record<string, number>>());
const chat = cell("chat", messagesById<{ id?: string; content: string }>());
const rows = cell(
  "rows",
  orderedBy<{ at: number }>((row) => row.at),
);
// @ts-expect-error not a key
orderedBy<{ at: Date }>((row) => row.at);
// @ts-expect-error messages have texts for ids
messagesById<{ id: number }>();

export const cells = graph("cells", (input: Ref<{ words: string[]; pages: string[][]; n: number }>) => {
  const whole: Ref<undefined> = push(log, overwrite(input.words));
  push(log, overwrite([]));
  push(log, overwrite(["a"]));
  push(status, overwrite("open"));
  const once: Ref<undefined> = push(table, { a: 1 });
  const perItem: Ref<undefined, Item> = push(log, each(input.words));
  push(log, each(input.words), { ordered: true });
  push(log, overwrite(each(input.pages)), { ordered: true });
  // @ts-expect-error it runs once: there is nothing to order
  push(log, overwrite(input.words), { ordered: true });
  // @ts-expect-error it is over at once: nothing of it is in parallel
  push(log, each(input.words), { parallel: 2 });
  emit("items", each(input.words), { ordered: true });
  // @ts-expect-error it runs once
  emit("once", input.words, { ordered: true });
  egress("live", each(input.words), { ordered: true });
  const item: Ref<undefined, Item> = push(log, overwrite(each(input.pages)));
  push(chat, { content: "one" });
  push(chat, [{ id: "1", content: "several" }]);
  const joined: Ref<undefined, Item> = push(chat, { content: each(input.words), id: "1" });
  push(chat, [{ content: each(input.words) }]);
  // @ts-expect-error misspelt beside a ref
  push(chat, { content: each(input.words), idd: "1" });
  // @ts-expect-error misspelt in a list, beside a ref
  push(chat, [{ id: each(input.words), contents: "one" }]);
  // @ts-expect-error a ref of another type
  push(chat, { content: input.n });
  // @ts-expect-error misspelt
  push(chat, { content: "one", idd: "1" });
  // @ts-expect-error misspelt in a list
  push(chat, [{ contents: "one" }]);
  // @ts-expect-error an update is no accumulator
  push(log, overwrite("a"));
  // @ts-expect-error not one of them
  push(status, overwrite("closed"));
  // @ts-expect-error wrong elements
  push(log, overwrite([1]));
  // @ts-expect-error wrong accumulator
  push(log, overwrite(input.n));
  // @ts-expect-error an accumulator is no update
  push(log, input.words);
  const seen: Ref<{ at: number }[]> = read(rows, { after: [] });
  return {};
});
