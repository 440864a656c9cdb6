/** What a collector collects, in words that are the same in every version of a graph in which it is the same. */
import { SlotKind, type Plan, type SlotPlan, type StreamPlan, type Template } from "../model/plan.ts";

const kinds: readonly string[] = Object.keys(SlotKind);
const known = new WeakMap<StreamPlan, readonly string[]>();

/** Of a stream, in the order of its collectors. */
export function collectorsOf(plan: Plan, stream: StreamPlan): readonly string[] {
  let words = known.get(stream);
  if (words === undefined) known.set(stream, (words = numbered(stream.collectors.map((id) => wordsOf(plan, id)))));
  return words;
}

/** Those that say the same are told apart by their order. */
function numbered(words: readonly string[]): readonly string[] {
  return words.map((word, i) => {
    const before = words.slice(0, i).filter((other) => other === word).length;
    return before === 0 ? word : `${word} ${before + 1}`;
  });
}

function wordsOf(plan: Plan, id: number): string {
  const { kind, name, collect } = plan.slots[id] as SlotPlan;
  const what = `${kinds[kind] as string}${name === "" ? "" : ` ${name}`}`;
  return collect === null ? what : `${what} ${collect.errors} ${valueWords(plan, collect.watch)}`;
}

function valueWords(plan: Plan, id: number): string {
  const { kind, name, inputs } = plan.slots[id] as SlotPlan;
  if (name !== "") return name;
  const what = kinds[kind] as string;
  return inputs === null ? what : `${what}(${templateWords(plan, inputs)})`;
}

function templateWords(plan: Plan, template: Template): string {
  switch (template.type) {
    case "constant":
      return "_";
    case "source":
      return [valueWords(plan, template.source.slot), ...template.source.path].join(".");
    case "object":
      return template.keys.map((key, i) => `${key}:${templateWords(plan, template.values[i] as Template)}`).join(",");
    case "array":
      return template.items.map((item) => templateWords(plan, item)).join(",");
  }
}
