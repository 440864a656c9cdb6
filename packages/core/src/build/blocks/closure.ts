/** The bodies of blocks: closures that are run once, in a scope of their own, while the graph is being built. */
import { buildError } from "../../base/error.ts";
import { isAsyncOrGenerator } from "../../base/sync-only.ts";
import type { Template } from "../../model/plan.ts";
import { newScope, runIn, type Builder, type Frame } from "../builder.ts";
import { eachSource } from "../gather.ts";
import { composed, resultOf } from "../result.ts";
import { innerOf, itemScopeOf, isWithin, scopeLabel } from "../scopes.ts";

/** A closure that was run: its scope, and what it returned. */
export interface Arm {
  readonly frame: Frame;
  readonly template: Template;
}

interface Opening {
  /** Where it is before it uses anything. */
  readonly scope: number;
  readonly prefix: string;
  /** What its block calls it; absent: the last part of the prefix. */
  readonly name?: string;
  readonly kind?: "arm" | "iteration";
  readonly parallel?: number | undefined;
}

/** The frame of a closure, in a new scope that moves to the items that the closure uses. */
export function openClosure(frame: Frame, opening: Opening): Frame {
  const { scope, prefix, kind = "arm", parallel } = opening;
  const { builder } = frame;
  const id = builder.scopes.length;
  const { name = prefix.slice(prefix.lastIndexOf("/", prefix.length - 2) + 1, -1) } = opening;
  builder.scopes.push(newScope({ id, kind, name, parent: scope }));
  builder.floating.add(id);
  return {
    builder,
    id: builder.frames++,
    parent: frame,
    closure: true,
    definition: frame.definition,
    graph: frame.graph,
    prefix,
    scope: id,
    parallel: parallel ?? frame.parallel,
    bindings: frame.bindings,
    after: [],
  };
}

/** `values`: what the body is called with. */
export function runArm(frame: Frame, body: (...values: never[]) => unknown, values: readonly unknown[] = []): Arm {
  checkBody(frame, body);
  const returned = (): unknown => body(...(values as never[]));
  return { frame, template: runIn(frame, () => composed(resultOf(frame, returned(), whereOf(frame)))) };
}

/** Refuses what cannot be a body. From JavaScript anything may come. */
export function checkBody(frame: Frame, body: unknown): void {
  const where = whereOf(frame);
  if (typeof body !== "function") throw buildError(`${where} is not a function`, "write () => …");
  if (isAsyncOrGenerator(body))
    throw buildError(
      `${where} is async or a generator`,
      "a body wires nodes and never waits; do the waiting in ops",
      "AsyncBody",
    );
}

function whereOf({ prefix }: Frame): string {
  return `the body ${prefix.slice(0, -1)}`;
}

/**
 * The scope of the block: the innermost of those that its input and its arms were moved to. From here on the arms stay
 * there.
 */
export function settle(builder: Builder, scope: number, closures: readonly Frame[], what: string): number {
  let home = scope;
  for (const closure of closures) home = innerOf(builder, home, builder.scopes[closure.scope]!.parent, what);
  for (const closure of closures) {
    builder.scopes[closure.scope]!.parent = home;
    builder.floating.delete(closure.scope);
  }
  return home;
}

/**
 * Refuses a block that runs per item although nothing that its type is made of says so: its result would be taken for
 * one value of the run. In a body that runs per item itself, there is nothing to say.
 */
export function checkTyped(frame: Frame, home: number, slots: readonly number[], what: string): void {
  const { builder } = frame;
  const actual = itemScopeOf(builder, home);
  let declared = 0;
  for (const slot of slots) {
    const typed = builder.typed[slot]!;
    if (isWithin(builder, typed, declared)) declared = typed;
  }
  if (isWithin(builder, declared, actual) || isWithin(builder, frame.scope, actual)) return;
  throw buildError(
    `${what} uses items of ${scopeLabel(builder, actual)}, so it runs once per item, but what it returns does not tell`,
    "return something that is made per item, or collect the items before the block",
    "ItemInRunScope",
  );
}

/** Says which block opens which scopes; done when the block's own slot exists. */
export function ownScopes(builder: Builder, block: number, closures: readonly Frame[]): void {
  closures.forEach((closure, arm) => {
    const scope = builder.scopes[closure.scope]!;
    scope.block = block;
    scope.arm = arm;
  });
}

/** The slots that what the arms returned is read from. */
export function sourcesOf(arms: readonly Arm[]): number[] {
  const slots: number[] = [];
  for (const { template } of arms) eachSource(template, ({ slot }) => slots.push(slot));
  return slots;
}
