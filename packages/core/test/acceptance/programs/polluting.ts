/**
 * Sends keys that mean something to every object through everything that a run is given: its input, labels and caller's
 * context, outputs, items, cells, questions, answers, errors, references. Where prototypes are frozen nobody can change
 * one unnoticed, and an assignment that should have been a definition throws. Says as JSON what came out.
 */
import { z } from "zod";
import {
  callerContext,
  cell,
  collect,
  fallback,
  graph,
  interrupt,
  last,
  memory,
  memoryTraces,
  merge,
  op,
  openEngine,
  push,
  type Ref,
} from "../../../src/index.ts";

type Payload = Record<string, unknown>;
const text = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":2}},"toString":"text","plain":3}';
const payload = (): Payload => JSON.parse(text) as Payload;

const Caller = callerContext("caller", z.custom<Payload>());
const merged = cell("merged", merge<Payload>());
const lastOf = cell("last", last<Payload>({}));
const seen: Record<string, unknown[]> = {};
/** Own keys, what is under the first, and what it inherits from. */
function look(where: string, value: unknown): void {
  const object = value as Payload;
  const inherited: unknown = Object.getPrototypeOf(object);
  const own = Object.getOwnPropertyDescriptor(object, "__proto__")?.value as unknown;
  const prototype = inherited === Object.prototype ? "Object" : inherited === null ? "null" : "other";
  (seen[where] ??= []).push([Object.keys(object), own, prototype, "polluted" in object]);
}

const work = op("work", { context: Caller }, async ({ value }: { value: Payload }, ctx) => {
  look("input", value);
  look("caller context", ctx.context);
  look("labels", ctx.labels);
  ctx.log.warn("value", payload());
  ctx.log.warn("redacted", { ...payload(), plain: { password: "p" } });
  return { value: payload(), all: payload() };
});
const items = op("items", async function* (_input: { n: number }) {
  yield { value: payload() };
});
const bad = op("bad", async (_input: { value: Payload }): Promise<{ text: string }> => {
  throw Object.assign(new Error("bad"), { data: payload() });
});
const mend = op("mend", async ({ data }: { data: unknown }) => {
  look("error data", data);
  return { text: "mended" };
});
const took = op("took", async ({ item, said }: { item: Payload[]; said: Payload }) => {
  look("item", item[0]);
  look("answer", said);
  return { said };
});
export const flow = graph("polluting", (input: Ref<{ value: Payload }>) => {
  const made = work({ value: input.value });
  push(merged, made.value);
  push(merged, made.all);
  push(lastOf, made.value);
  const mended = fallback(
    "try",
    () => ({ text: bad({ value: made.value }).text }),
    (error) => ({ text: mend({ data: error.data }).text }),
  );
  const said = interrupt("ask", made.value, { answer: z.custom<Payload>() });
  const all = collect(items({ n: 1 }).value);
  return { said: took({ item: all, said }).said, value: made.value, text: mended.text };
});

for (const type of [Object, Array, Map, Set, Promise]) Object.freeze(type.prototype);

const store = memory();
const logged: unknown[] = [];
const traces = memoryTraces();
const options = {
  graphs: [flow],
  warn: () => undefined,
  log: ({ data }: { data?: unknown }) => void logged.push(data),
  traces: { sinks: [traces] },
};
const labels = JSON.parse('{"__proto__":"a","constructor":"b","toString":"c"}') as Record<string, string>;
const first = await openEngine({ ...options, backend: store });
const handle = await first.start(flow, { value: payload() }, { id: "r", labels, context: payload() });
const rest = await handle.result();
if (rest.status === "interrupted") look("question", rest.interrupts[0]?.payload);
await first.close();
const second = await openEngine({ ...options, backend: store.another() });
const output = (await (await second.answer("r", "ask", payload())).output()) as Record<string, unknown>;
look("output", output["value"]);
look("answer in the output", output["said"]);
const { cells } = await (await second.start(flow, { value: payload() }, { id: "again", context: payload() })).result();
look("merge cell", cells["merged"]);
look("last cell", cells["last"]);
const info = await second.get("r");
look("input as read", (info!.input as { value: unknown }).value);
look("labels as read", info?.labels);
look("logged", logged[0]);
look("redacted", logged[1]);
for (const { node, input } of traces.trace("r")?.invocations ?? [])
  if (node === "work" && input !== null) look("trace", (JSON.parse(input) as { value: unknown }).value);
const found = await second.list({ labels: JSON.parse('{"__proto__":"a"}') as Record<string, string> });
await second.close();
process.stdout.write(JSON.stringify({ seen, found: found.map(({ id }) => id), polluted: "polluted" in {} }));
