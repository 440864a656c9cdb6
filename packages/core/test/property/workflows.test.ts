/**
 * Workflows: whatever the program, wherever the process dies and in whatever order its calls come back, a body that runs again
 * makes the same calls as before, and the run comes to what the program comes to without an engine.
 */
import { expect, test } from "vitest";
import { memory, openEngine, type HistoryEntry, type RunResult } from "../../src/index.ts";
import type { Theatre } from "../../src/testing/random-graph.ts";
import { checkInvariants } from "../../src/state/invariants.ts";
import { Dice } from "../../src/testing/dice.ts";
import { Playhouse } from "../../src/testing/simulate/playhouse.ts";
import type { Happening } from "../../src/testing/reference/happening.ts";
import { settingsOf, simulateGraph, type Verdict } from "../../src/testing/simulate.ts";
import {
  caseOf,
  Failed,
  hasStep,
  plainly,
  randomProgram,
  workflowOf,
  type Program,
} from "./support/workflow-programs.ts";

/** `MILLRACE_CASES=n` plays n cases instead; `MILLRACE_SEED=n` plays the one of that seed alone. */
const cases = Number(process.env["MILLRACE_CASES"] ?? 60);
const only = process.env["MILLRACE_SEED"];
const seeds = only === undefined ? Array.from({ length: cases }, (_, i) => 700_001 + i) : [Number(only)];

function due(program: Program, n: number): { status: string; output: unknown } {
  try {
    return { status: "completed", output: { n: plainly(program, n) } };
  } catch (error) {
    if (!(error instanceof Failed)) throw error;
    return { status: "failed", output: undefined };
  }
}

function came({ journal }: Verdict): { status: string; output: unknown } {
  const last = journal.happenings.at(-1);
  return last?.kind === "ended" ? { status: last.status, output: last.output } : { status: "none", output: undefined };
}

/** The body did not do again what it had done. */
function isOtherwise(one: Happening): boolean {
  return one.kind === "attemptFailed" && one.error.code === "NonDeterministicWorkflow";
}

/** Something other than the program decided how it ended. */
function wasStopped({ journal: { happenings } }: Verdict): boolean {
  return happenings.some(
    (one) =>
      one.kind === "stopped" ||
      one.kind === "cancelRequested" ||
      (one.kind === "attemptFailed" && one.error.code === "CrashLoop"),
  );
}

test(
  "R11 a workflow that dies at random records comes to what its program comes to without an engine",
  { timeout: 120_000 + cases * 40 },
  async () => {
    const seen = { crashes: 0, failed: 0, raced: 0, gaveUp: 0, asked: 0, compared: 0 };
    for (const seed of seeds) {
      const dice = new Dice(seed, 1);
      const program = randomProgram(dice, 2);
      const n = dice.below(100);
      const house = new Playhouse(seed % 8 === 0);
      const settings = settingsOf(new Dice(seed, 2), {
        durability: (["sync", "async", "exit"] as const)[seed % 3] ?? "sync",
      });
      const verdict = await simulateGraph({ graph: caseOf(program, n, house), house, settings }, seed, {
        check: checkInvariants,
      });
      const told = `seed ${seed}: ${JSON.stringify(program)} from ${n}`;
      expect(verdict.faults, told).toEqual([]);
      expect(verdict.journal.happenings.filter(isOtherwise), told).toEqual([]);
      const stopped = wasStopped(verdict);
      expect(stopped || came(verdict), told).toEqual(stopped || due(program, n));
      seen.crashes += verdict.lives.filter(({ end }) => end === "crash").length;
      seen.compared += stopped ? 0 : 1;
      seen.failed += came(verdict).status === "failed" ? 1 : 0;
      seen.gaveUp += told.includes('"callees":["') ? 1 : 0;
      seen.raced += hasStep(program, "race") ? 1 : 0;
      seen.asked += hasStep(program, "ask") ? 1 : 0;
    }
    const enough = only === undefined && cases >= 60;
    // Few cases need not have all that is rare.
    expect(!enough || Object.values(seen).every((times) => times > 3), JSON.stringify(seen)).toBe(true);
  },
);

test("R11 a fork behind a random record of a workflow comes to what its program comes to, and runs nothing again that it keeps", async () => {
  const seen = { forks: 0, kept: 0, again: 0 };
  for (const seed of seeds) {
    const dice = new Dice(seed, 5);
    const program = randomProgram(dice, 2);
    const n = dice.below(100);
    // Of calls that race it makes no difference which is first.
    if (hasStep(program, "ask") || /"race","branches":\[\[/.test(JSON.stringify(program))) continue;
    const entered: string[] = [];
    const theatre: Theatre = {
      enter: ({ path, attempt }) => void entered.push(`${path} ${attempt}`),
      instead: () => undefined,
      wait: () => new Promise((resolve) => setImmediate(resolve)),
      mood: 0,
    };
    const made = workflowOf(program, theatre);
    const engine = await openEngine({ backend: memory(), graphs: [made], warn: () => undefined });
    const expected = due(program, n);
    const told = `seed ${seed}: ${JSON.stringify(program)} from ${n}`;
    const run = await engine.start(made, { n });
    const outcome = ({ status, ...result }: RunResult<unknown>): unknown => ({
      status,
      output: "output" in result ? result.output : undefined,
    });
    expect(outcome(await run.result()), told).toEqual(expected);
    const history: HistoryEntry[] = [];
    for await (const entry of engine.history(run.runId)) history.push(entry);
    const at = 1 + dice.below(history.length - 2);
    const kept = new Set(
      history
        .filter(({ kind, seq }) => kind === "output" && seq <= at)
        .map(({ path }) => path?.slice(path.indexOf("/"))),
    );
    entered.length = 0;
    const fork = await engine.fork(run.runId, { at });
    expect([outcome(await fork.result()), `${told}, behind ${at}`]).toEqual([expected, `${told}, behind ${at}`]);
    const again = entered.map((one) => one.slice(one.indexOf("/"), one.indexOf(" "))).filter((path) => kept.has(path));
    expect(again, `${told}, behind ${at}`).toEqual([]);
    await engine.close();
    seen.forks++;
    seen.kept += kept.size;
    seen.again += entered.length;
  }
  expect(only !== undefined || Object.values(seen).every((times) => times > 5), JSON.stringify(seen)).toBe(true);
});
