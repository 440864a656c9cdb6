/**
 * The theorem: a state that is written as a snapshot and read again is the state. Whatever comes after, at whatever record
 * that was done, and however often, it comes to the same: the same invocations with the same inputs, the same outputs and
 * failures, and the same next states, to the letter of their own snapshots.
 *
 * `MILLRACE_CASES=n` plays n / 40 cases; `MILLRACE_SEED=n` plays the one of that seed alone.
 */
import { expect, test } from "vitest";
import type { Started } from "../../src/events/record.ts";
import { revive } from "../../src/journal/codec/codec.ts";
import { namesOf } from "../../src/journal/lineage.ts";
import { RecordedGraph } from "../../src/journal/recorded-graph.ts";
import { newRun } from "../../src/journal/replay-rows.ts";
import { replayRecord, withDecisions, type Foretold } from "../../src/journal/replay.ts";
import type { RawRecord } from "../../src/journal/rows.ts";
import { loadState } from "../../src/journal/snapshot/state-reader.ts";
import { saveState } from "../../src/journal/snapshot/state-writer.ts";
import type { Plan } from "../../src/model/plan.ts";
import { checkInvariants } from "../../src/state/invariants.ts";
import type { RunState } from "../../src/state/run-state.ts";
import type { StoredJournal } from "../../src/testing/simulate/journal.ts";
import { simulateSeed } from "../../src/testing/simulate.ts";

const { env } = process;
const cases = Math.ceil(Number(env["MILLRACE_CASES"] ?? 20_000) / 40);
const only = env["MILLRACE_SEED"] === undefined ? undefined : Number(env["MILLRACE_SEED"]);
const seeds = only === undefined ? Array.from({ length: cases }, (_, i) => 700_001 + i) : [only];

/** Two states of one run: one that is left alone, and one that goes through a snapshot after every record. */
class Twins {
  readonly faults: string[] = [];
  snapshots = 0;
  readonly #plan: Plan;
  readonly #graph: RecordedGraph;
  readonly #left: RunState;
  #passed: RunState;

  constructor(plan: Plan, started: Started) {
    const begin = (): RunState => newRun(plan, "run", started, { probe: null, check: checkInvariants });
    this.#plan = plan;
    this.#graph = new RecordedGraph(plan);
    this.#graph.become(namesOf(plan));
    this.#left = begin();
    this.#passed = begin();
  }

  take(record: RawRecord, foretold: Foretold): void {
    for (const state of [this.#left, this.#passed]) replayRecord(state, record, foretold, revive, this.#graph);
    const { end, dropped, seq } = this.#left;
    if (JSON.stringify(this.#passed.end) !== JSON.stringify(end))
      this.faults.push(`record ${seq}: they end differently`);
    // Records of dropped items stand behind the one that dropped them: a snapshot never comes between.
    if (end === null && dropped === null) this.#pass();
  }

  #pass(): void {
    const text = saveState(this.#left, Infinity);
    if (saveState(this.#passed, Infinity) !== text) this.faults.push(`record ${this.#left.seq}: the states differ`);
    const again = loadState(text, this.#plan, this.#passed, this.#passed.raise);
    if (saveState(again, Infinity) !== text) this.faults.push(`record ${this.#left.seq}: it is not what was written`);
    again.check = checkInvariants;
    checkInvariants(again);
    this.#passed = again;
    this.snapshots++;
  }
}

function replayTwice({ rows }: StoredJournal, plan: Plan): Twins {
  const twins = new Twins(plan, rows[0]?.[0]?.[1] as Started);
  for (const records of rows) for (const { record, foretold } of withDecisions(records)) twins.take(record, foretold);
  return twins;
}

test(
  "H24 a state that goes through a snapshot after every record goes on as one that does not",
  { timeout: 60_000 + cases * 400 },
  async () => {
    let snapshots = 0;
    for (const seed of seeds) {
      const { journal, graph } = await simulateSeed(seed);
      const twins = replayTwice(journal, graph.plan);
      expect(twins.faults, `seed ${seed}`).toEqual([]);
      snapshots += twins.snapshots;
    }
    expect(snapshots).toBeGreaterThan(seeds.length * 4);
  },
);
