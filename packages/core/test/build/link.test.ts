import * as fc from "fast-check";
import { expect, test } from "vitest";
import {
  collect,
  derive,
  each,
  filter,
  graph,
  MillraceError,
  op,
  reduce,
  type Graph,
  type Ref,
} from "../../src/index.ts";
import { SlotKind, type Plan } from "../../src/model/plan.ts";
import { plan } from "./support.ts";

const leaf = op("leaf", async (_i: { a: unknown; b: unknown }) => ({ v: 1, list: [1], ok: true }));
const source = op("source", function* (_i: { a: unknown }) {
  yield { v: 1, list: [1], ok: true };
});
type Leaf = Ref<{ v: number; list: number[]; ok: boolean }>;
type Step = readonly [kind: number, left: number, right: number];

/** A graph from a list of numbers: each step uses two earlier refs; steps that the build refuses are left out. */
function graphOf(steps: readonly Step[]): Graph<{ xs: number[] }, unknown> {
  return graph("random", (input: Ref<{ xs: number[] }>) => {
    const refs: Leaf[] = [leaf({ a: input.xs, b: 0 }, { name: "first" })];
    steps.forEach(([kind, left, right], i) => {
      const a = refs[left % refs.length]!;
      const b = refs[right % refs.length]!;
      const name = `n${i}`;
      const make = [
        () => leaf({ a: a.v, b: b.v }, { name }),
        () => leaf({ a: a.v, b: 1 }, { name, after: [b] }),
        () => source({ a: a.v }, { name }),
        () => leaf({ a: each(a.list, { name: `${name}s` }), b: 2 }, { name }),
        () => leaf({ a: collect(a as never), b: 3 }, { name }),
        () => leaf({ a: reduce(name, a as never, 0, (n) => n, { errors: "skip" }), b: b.v }, { name: `${name}r` }),
        () => filter(a as never, b.ok),
        () => derive([a, b], ([x]) => x),
      ][kind % 8]!;
      try {
        refs.push(make() as unknown as Leaf);
      } catch {
        // Unrelated streams, collects of one value and the like: not what this test is about.
      }
    });
    return refs.at(-1);
  });
}

/** What `plan.ts` promises about tables, recomputed the slow way. */
function inconsistencies(of: Plan): string[] {
  const wrong: string[] = [];
  const check = (holds: boolean, what: string): void => void (holds || wrong.push(what));
  checkSlots(of, check);
  checkCollectors(of, check);
  checkStreams(of, check);
  return wrong;
}

type Check = (holds: boolean, what: string) => void;

function checkSlots({ slots, scopes, streams }: Plan, check: Check): void {
  const within = (inner: number, outer: number): boolean =>
    inner === outer || (inner !== 0 && within(scopes[inner]!.parent, outer));
  for (const slot of slots) {
    const scope = scopes[slot.scope]!;
    const local = slot.dependencies.filter((d) => slots[d.slot]!.scope === slot.scope);
    const waits = slot.collect !== null || slot.kind === SlotKind.input || slot.kind === SlotKind.item ? 1 : 0;
    check(slots[slot.id] === slot && scope.slots[slot.local] === slot.id, `${slot.id}: numbering`);
    check(
      slot.dependencies.every((d) => d.slot < slot.id && within(slot.scope, slots[d.slot]!.scope)),
      `${slot.id}: depends on earlier slots of its scope or around it`,
    );
    check(scope.missing[slot.local] === local.length + waits, `${slot.id}: missing`);
    check(
      local.every((d) => slots[d.slot]!.consumers.includes(slot.local * 2 + (d.after ? 1 : 0))),
      `${slot.id}: consumers`,
    );
    check(scope.ready.includes(slot.local) === (slot.dependencies.length === 0 && waits === 0), `${slot.id}: ready`);
    check(slots[slot.anchor]!.name !== "" && slots[slot.anchor]!.id <= slot.id, `${slot.id}: anchor`);
    check(slot.lane >= 0 === (slot.kind === SlotKind.op && slot.scope !== 0), `${slot.id}: lane`);
    if (slot.lane >= 0) check(streams[scope.stream]!.lanes[slot.lane] === slot.id, `${slot.id}: lane table`);
    const outer = scope.outer.filter((o) => o.local === slot.local);
    check(outer.length === slot.dependencies.length - local.length, `${slot.id}: outer`);
    for (const o of outer)
      check(scope.depth - scopes[slots[o.slot]!.scope]!.depth === o.hops && o.hops > 0, `${slot.id}: hops`);
  }
}

function checkCollectors({ slots, scopes, streams }: Plan, check: Check): void {
  for (const slot of slots) {
    if (slot.collect === null) continue;
    check(streams[slot.collect.stream]!.collectors[slot.collect.index] === slot.id, `${slot.id}: collector table`);
    check(slots[slot.collect.watch]!.watchers.includes(slot.id), `${slot.id}: watchers`);
    check(scopes[slots[slot.collect.watch]!.scope]!.stream === slot.collect.stream, `${slot.id}: watches its stream`);
    check(scopes[slots[slot.collect.watch]!.scope]!.parent === slot.scope, `${slot.id}: lives around its stream`);
  }
}

function checkStreams({ slots, scopes, streams }: Plan, check: Check): void {
  for (const stream of streams) {
    check(slots[stream.source]!.stream === stream.id, `stream ${stream.id}: source`);
    check(slots[scopes[stream.itemScope]!.slots[0]!]!.kind === SlotKind.item, `stream ${stream.id}: item`);
    check(scopes[stream.itemScope]!.parent === slots[stream.source]!.scope, `stream ${stream.id}: scope`);
  }
}

/** Undefined for the few that would block themselves; those are refused, as they should be. */
function buildable(steps: Parameters<typeof graphOf>[0]): ReturnType<typeof graphOf> | undefined {
  try {
    return graphOf(steps);
  } catch (error) {
    if (error instanceof MillraceError && error.message.includes("wait for each other")) return undefined;
    throw error;
  }
}

test("the tables of random graphs agree with each other", () => {
  const step = fc.tuple(fc.nat(7), fc.nat(50), fc.nat(50));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const built = buildable(steps);
      expect(built === undefined ? [] : inconsistencies(plan(built))).toEqual([]);
    }),
    { numRuns: 500 },
  );
});
