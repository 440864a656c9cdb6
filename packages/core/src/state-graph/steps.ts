/** What a node's body gives back: what to write, where to go, what to ask. */
import { errorOf } from "../base/error.ts";
import { END } from "./names.ts";

/** As it is journaled: `write`, `goto` (null is the end), `send`, `ask`. */
export type StepData =
  | { readonly write: unknown }
  | { readonly goto: string | null }
  | { readonly send: string; readonly state: unknown }
  | { readonly ask: string; readonly payload: unknown };

declare const step: unique symbol;

/** Made by the second argument of a node's body, and only there. */
export interface Step {
  readonly [step]: true;
}

/** What `to` has made: an object that only looks like a step, as an update of a field `goto` does, is none. */
const genuine = new WeakSet<object>();

/** The steps a body of the node may make. `U`: an update of the state, `N`: names of nodes, `Q`: names of its questions. */
export interface Steps<U, N extends string, Q extends string = never> {
  /** Folds an update into the state when the superstep is over: field by field, or by the graph's `merge`. */
  write(update: U): Step;
  /** Goes on with this node, in place of where the edges and branches of this one lead; `END` ends this path. */
  goto(node: N | typeof END): Step;
  /** Runs a node once in the next superstep with a state of its own, besides whatever else is to run. */
  send(node: N, state: unknown): Step;
  /**
   * Asks the outside a question that the node declares in `asks`. The node runs again from its top when everything it asked
   * is answered; what it wrote by then stands, and `run.recorded` has it.
   */
  interrupt(question: Q, payload?: unknown): Step;
}

/** One maker for all nodes: what a node may name is checked when its steps are read. */
export const steps: Steps<unknown, string, string> = Object.freeze({
  write: (update: unknown) => made({ write: update }),
  goto: (node: string | typeof END) => made({ goto: node === END ? null : node }),
  send: (node: string, state: unknown) => made({ send: node, state }),
  interrupt: (question: string, payload?: unknown) => made({ ask: question, payload: payload ?? null }),
});

function made(data: StepData): Step {
  const step = Object.freeze(data);
  genuine.add(step);
  return step as unknown as Step;
}

/**
 * What a body returned, as steps: one, a list, or nothing.
 *
 * @throws MillraceError `NotSteps`
 */
export function stepsOf(node: string, returned: unknown): readonly StepData[] {
  if (returned === undefined || returned === null) return [];
  const list: readonly unknown[] = Array.isArray(returned) ? returned : [returned];
  for (const each of list)
    if (!isStep(each))
      throw errorOf("NotSteps", { node, given: typeof each === "object" ? "an object" : `a ${typeof each}` });
  return list as readonly StepData[];
}

function isStep(value: unknown): value is StepData {
  return typeof value === "object" && value !== null && genuine.has(value);
}
