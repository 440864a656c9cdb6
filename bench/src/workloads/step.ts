/**
 * The ops that do nothing, and the chain of them. All bodies, of ops and of floors, are closures of one literal: with a
 * literal per node both would measure how well a thousand call sites are inlined, which no application has.
 */
import { graph, op, type Graph, type Op, type OpOptions, type Ref, type Run } from "@millrace/core";

export interface Step {
  readonly x: number;
}

export type StepOp = Op<Step, Step>;

export function syncBody(by: number): (step: Step) => Step {
  return ({ x }) => ({ x: x + by });
}

export function asyncBody(by: number): (step: Step) => Promise<Step> {
  return async ({ x }) => ({ x: x + by });
}

export function many<T>(count: number, make: (by: number) => T): T[] {
  return Array.from({ length: count }, () => make(1));
}

/** `make` is the op of another copy of the package. */
export function syncOps(count: number, make: typeof op = op): StepOp[] {
  return many(count, syncBody).map((body, i) => make(`step${i}`, body));
}

export function asyncOps(count: number, options: OpOptions = {}): StepOp[] {
  return many(count, asyncBody).map((body, i) => op(`step${i}`, options, body));
}

/** One after the other. */
export function chainOf(name: string, ops: readonly StepOp[], make: typeof graph = graph): Graph<Step, Step> {
  return make(name, (input: Ref<Step>) => {
    let at: Ref<Step, Run> = input;
    for (const step of ops) at = step({ x: at.x });
    return { x: at.x };
  });
}
