/**
 * The theorem: a fork without a difference, at whatever record, comes to what its origin came to if order does not show in
 * the graph, and to what the reference interpreter makes of its journal in any case; it does nothing again that was over.
 * A fork with another output of an op comes to what a fresh run comes to in which that op's body gives it. Both hold over a
 * crash at any record of the fork, and the origin's journal is what it was.
 *
 * `MILLRACE_FORK_CASES=n` plays n graphs instead of 40, if more then others each time; `MILLRACE_SEED=n` plays the one of that seed alone.
 */
import { expect, test } from "vitest";
import type { ForkOptions } from "../../src/engine/fork-options.ts";
import { checkInvariants } from "../../src/state/invariants.ts";
import {
  forkAt,
  freshRun,
  originOf,
  somePatch,
  type ForkVerdict,
  type Origin,
} from "../../src/testing/simulate-fork.ts";

const { env } = process;
const cases = Number(env["MILLRACE_FORK_CASES"] ?? 40);
const only = env["MILLRACE_SEED"] === undefined ? undefined : Number(env["MILLRACE_SEED"]);
const usualBase = 500_001;
/** Longer soaks see other cases each time. */
const base = cases > 40 ? Math.floor(Math.random() * 2 ** 40) : usualBase;
const timeout = 120_000 + cases * 10_000;

/** Of the crashes, which take longest. */
const crashed = Math.ceil(cases * 0.6);
/** They found something once. */
const known: readonly number[] = [
  // A fork recalls the end of an ephemeral generator, of which there was nothing to see.
  648_160_299_537,
];

function* seeds(count: number = cases): Generator<number> {
  if (only !== undefined) yield only;
  else for (let i = 0; i < count; i++) yield base + i;
}

async function originFor(seed: number): Promise<Origin> {
  const origin = await originOf(seed, checkInvariants);
  expect(origin.faults, `seed ${seed}`).toEqual([]);
  return origin;
}

/** Throws, with all that one needs to see why, when it is not right. */
function expectRight(seed: number, what: string, verdict: ForkVerdict | null): void {
  if (verdict !== null && verdict.faults.length > 0) {
    const rows = verdict.journal.rows.flat().map((record) => JSON.stringify(record).slice(0, 300));
    throw new Error([`seed ${seed}, ${what}`, ...verdict.faults.slice(0, 8), ...rows].join("\n"));
  }
}

test(
  "R15 P5.2 H45 a fork at every record of random graphs comes to what the run came to, and does nothing again",
  { timeout },
  async () => {
    let forks = 0;
    for (const seed of seeds()) {
      const origin = await originFor(seed);
      for (let at = 1; at < origin.journal.row.lastSeq; at++) {
        const verdict = await forkAt(origin, { at });
        // The run had ended.
        if (verdict === null) continue;
        expectRight(seed, `at ${at}`, verdict);
        forks++;
      }
    }
    expect(forks).toBeGreaterThan(only === undefined ? cases * 4 : -1);
  },
);

test(
  "R15 a fork with another output comes to what a fresh run comes to in which the op gives that",
  { timeout },
  async () => {
    let forks = 0;
    for (const seed of [...seeds(), ...(only === undefined ? known : [])]) {
      const origin = await originFor(seed);
      const { lastSeq } = origin.journal.row;
      for (let at = 2; at <= lastSeq; at += Math.max(1, Math.floor(lastSeq / 6))) {
        const patch = somePatch(origin, at);
        if (patch === undefined) continue;
        const fresh = await freshRun(origin, patch.path, patch.value);
        const options = { at, patch: { outputs: { [patch.path]: patch.value } } };
        expectRight(seed, `at ${at} with ${patch.path}`, await forkAt(origin, options, null, fresh.journal));
        forks++;
      }
    }
    expect(forks).toBeGreaterThan(only === undefined ? cases * 2 : -1);
  },
);

/** How often it crashed: before the commit of that record, and behind it. */
async function crashAt(origin: Origin, options: ForkOptions, whole: ForkVerdict, seq: number): Promise<number> {
  let crashes = 0;
  for (const commits of [true, false]) {
    const verdict = await forkAt(origin, options, { seq, commits }, whole.journal);
    expectRight(origin.seed, `${JSON.stringify(options)}, crashed at ${seq}`, verdict);
    crashes += verdict?.lives.filter(({ end }) => end === "crash").length ?? 0;
  }
  return crashes;
}

test("R15 R11 K1 a crash at every record of a fork changes nothing of what it comes to", { timeout }, async () => {
  let crashes = 0;
  let waiting = 0;
  let plain = 0;
  for (const seed of seeds(crashed)) {
    const origin = await originFor(seed);
    const at = Math.ceil(origin.journal.row.lastSeq / 2);
    const patch = somePatch(origin, at);
    if (patch === undefined) continue;
    const options = { at, patch: { outputs: { [patch.path]: patch.value } } };
    const whole = await forkAt(origin, options, null, (await freshRun(origin, patch.path, patch.value)).journal);
    expectRight(seed, `at ${at} with ${patch.path}`, whole);
    if (whole === null) continue;
    const [first = []] = whole.journal.rows;
    const notes = first.filter(([kind]) => kind === 18).length;
    // Of those in which nothing waits, a few will do.
    if (notes === 0 && plain++ >= crashed / 3) continue;
    waiting += notes;
    for (let seq = first.length + 1; seq <= whole.journal.row.lastSeq; seq++)
      crashes += await crashAt(origin, options, whole, seq);
  }
  expect(crashes).toBeGreaterThan(only === undefined ? crashed * 4 : -1);
  // What waits in a fork is rare: few random graphs may have none.
  expect(waiting).toBeGreaterThan(only === undefined && (base === usualBase || crashed >= 200) ? crashed / 5 : -1);
});

test("R15 a fork of a fork comes to what the fork came to, and does nothing again", { timeout }, async () => {
  let forks = 0;
  for (const seed of seeds()) {
    const origin = await originFor(seed);
    const at = Math.ceil(origin.journal.row.lastSeq / 2);
    const patch = somePatch(origin, at);
    if (patch === undefined) continue;
    const first = await forkAt(
      origin,
      { at, patch: { outputs: { [patch.path]: patch.value } } },
      null,
      (await freshRun(origin, patch.path, patch.value)).journal,
    );
    if (first === null) continue;
    const { lastSeq } = first.next.journal.row;
    // Before that, what the first fork was given is not kept.
    const [{ length: from }] = first.journal.rows as [readonly unknown[]];
    for (let seq = from; seq < lastSeq; seq += Math.max(1, Math.floor(lastSeq / 8))) {
      const verdict = await forkAt(first.next, { at: seq });
      expectRight(seed, `at ${at} with ${patch.path}, and that at ${seq}`, verdict);
      if (verdict !== null) forks++;
    }
  }
  expect(forks).toBeGreaterThan(only === undefined ? cases * 2 : -1);
});
