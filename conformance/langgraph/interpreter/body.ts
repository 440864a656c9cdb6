/** What a body does with a state, as steps that any engine can take. Pure: engines bring state, answers and counts. */
import type { Action } from "../format/definition.ts";
import type { Json, Patch } from "../format/json.ts";
import { evaluate, mapRecord, type Bindings } from "./expression.ts";

export type Step =
  | { readonly kind: "write"; readonly update: Patch }
  | { readonly kind: "goto"; readonly to: string }
  | { readonly kind: "send"; readonly to: string; readonly state: Patch }
  | { readonly kind: "interrupt"; readonly payload: Json }
  | { readonly kind: "throw"; readonly message: string }
  | { readonly kind: "emit"; readonly data: Json }
  | { readonly kind: "delay"; readonly milliseconds: number };

export interface Entry {
  /** The task's state: the graph's, or the one it was sent. */
  readonly state: Readonly<Record<string, unknown>>;
  /** Answers that it has had, in the order of its questions. */
  readonly answers: readonly Json[];
  /** How often this body has been entered, this time included. */
  readonly entry: number;
}

/** An `interrupt` or a `throw` is the last step: behind it the body was not. */
export function stepsOf(actions: readonly Action[], { state, answers, entry }: Entry): readonly Step[] {
  const steps: Step[] = [];
  const names: Record<string, Json> = {};
  const unused = [...answers];
  take(actions);
  return steps;

  /** Whether the body goes on. */
  function take(list: readonly Action[]): boolean {
    return list.every(act);
  }

  function act(action: Action): boolean {
    const bindings: Bindings = { state, names };
    if ("if" in action) return take(evaluate(action.if, bindings) === true ? action.do : (action.else ?? []));
    if ("ask" in action) {
      if (unused.length > 0) names[action.as] = unused.shift()!;
      else steps.push({ kind: "interrupt", payload: evaluate(action.ask, bindings) });
      return Object.hasOwn(names, action.as);
    }
    if ("throw" in action) {
      if (action.entries !== undefined && !action.entries.includes(entry)) return true;
      steps.push({ kind: "throw", message: action.throw });
      return false;
    }
    steps.push(...plainSteps(action, bindings));
    return true;
  }
}

type Plain = Extract<
  Action,
  { write: unknown } | { goto: unknown } | { send: unknown } | { emit: unknown } | { delay: unknown }
>;

function plainSteps(action: Plain, bindings: Bindings): readonly Step[] {
  if ("write" in action)
    return [{ kind: "write", update: mapRecord(action.write, (part) => evaluate(part, bindings)) }];
  if ("goto" in action) return targets(action.goto).map((to) => ({ kind: "goto", to }));
  if ("emit" in action) return [{ kind: "emit", data: evaluate(action.emit, bindings) }];
  if ("delay" in action) return [{ kind: "delay", milliseconds: action.delay }];
  const items = action.each === undefined ? [null] : (evaluate(action.each, bindings) as readonly Json[]);
  return items.map((item, index) => {
    const inner = { ...bindings, names: { ...bindings.names, item, index } };
    return { kind: "send", to: action.send, state: mapRecord(action.with, (part) => evaluate(part, inner)) };
  });
}

export function targets(to: string | readonly string[]): readonly string[] {
  return typeof to === "string" ? [to] : to;
}
