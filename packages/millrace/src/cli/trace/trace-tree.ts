/** A trace as a tree of contexts: scoped names and streams inside one another, items under their stream, as they came. */
import type { Trace, TraceAttempt, TraceInvocation, TraceYield } from "@millrace/core";

export interface Branch {
  /** `fetchPage`, or `[3]` for an item. */
  readonly name: string;
  invocation: TraceInvocation | undefined;
  readonly attempts: TraceAttempt[];
  /** Of an item of a generator: what was yielded. */
  item: TraceYield | undefined;
  readonly children: Map<string, Branch>;
}

/** Children are in the order in which they were first heard of. */
export function traceTree(trace: Trace): Branch {
  const root = newBranch(trace.run.graph);
  const at = (path: string): Branch => segmentsOf(path).reduce(childOf, root);
  for (const invocation of trace.invocations) at(invocation.path).invocation = invocation;
  for (const attempt of trace.attempts) at(attempt.path).attempts.push(attempt);
  for (const item of trace.yields) childOf(at(item.path), `[${item.index}]`).item = item;
  return root;
}

function newBranch(name: string): Branch {
  return { name, invocation: undefined, attempts: [], item: undefined, children: new Map() };
}

function childOf(branch: Branch, name: string): Branch {
  let child = branch.children.get(name);
  if (child === undefined) branch.children.set(name, (child = newBranch(name)));
  return child;
}

/** `survey/input.urls[1]/fetchPage` below `survey`: `input.urls`, `[1]`, `fetchPage`. */
function segmentsOf(path: string): string[] {
  return path
    .split("/")
    .slice(1)
    .flatMap((segment) => {
      const [, name, index] = /^(.*?)(\[\d+\])?$/.exec(segment) ?? [];
      return index === undefined ? [segment] : [name ?? "", index];
    });
}

/** Something went wrong in it or below it. */
export function isTroubled({ invocation, children }: Branch): boolean {
  const status = invocation?.status;
  if (status === "failed" || status === "skipped") return true;
  return [...children.values()].some(isTroubled);
}
