import { expect } from "vitest";
import { MillraceError, type Runnable } from "../../src/index.ts";
import { planOf } from "../../src/build/plan-of.ts";
import { SlotKind, type Plan, type SlotPlan } from "../../src/model/plan.ts";

/** The error that building fails with: its code and its two sentences. */
export function refusal(build: () => unknown): { readonly code: string; readonly message: string } {
  try {
    build();
  } catch (error) {
    if (!(error instanceof MillraceError)) throw error;
    return { code: error.code, message: error.message };
  }
  return expect.fail("it was built");
}

/** Asserts a `BuildError` with exactly this message and hint. */
export function expectRefusal(build: () => unknown, message: string, hint: string, code = "BuildError"): void {
  expect(refusal(build)).toEqual({ code, message: `${message}\n  hint: ${hint}` });
}

/** What JavaScript callers can pass: anything. */
export function untyped(value: unknown): (...values: unknown[]) => never {
  return value as never;
}

export function plan(runnable: Runnable<never, unknown>): Plan {
  return planOf(runnable);
}

export function named(of: Plan, name: string): SlotPlan {
  const slot = of.slots.find((candidate) => candidate.name === name);
  return slot ?? expect.fail(`no slot is called ${name}; there are ${of.slots.map((other) => other.name).join(", ")}`);
}

export function ofKind(of: Plan, kind: SlotKind): SlotPlan[] {
  return of.slots.filter((slot) => slot.kind === kind);
}

const KINDS = Object.keys(SlotKind);

/** One line per slot: `kind name @scope <- dependencies`, dependencies by id, `after` ones with a mark. */
export function sketch(of: Plan): string[] {
  return of.slots.map((slot) => {
    const needs = slot.dependencies.map(({ slot: id, after }) => `${id}${after ? "!" : ""}`);
    if (slot.collect !== null) needs.push(`*${slot.collect.watch}`);
    return `${slot.id} ${KINDS[slot.kind]}${slot.name === "" ? "" : ` ${slot.name}`} @${slot.scope}${needs.length === 0 ? "" : ` <- ${needs.join(" ")}`}`;
  });
}
