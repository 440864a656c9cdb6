/** `simulate`: a user's own graph, on several workers that die, stand still and lose their commits, seed after seed. */
import { planOf } from "../../build/plan-of.ts";
import { errorOf, MillraceError } from "../../base/error.ts";
import type { Interrupt } from "../../events/interrupt.ts";
import type { Provision } from "../../engine/provide.ts";
import type { Runnable } from "../../model/op.ts";
import type { Plan } from "../../model/plan.ts";
import type { Backend } from "../../ports/backend.ts";
import type { Durability } from "../../runtime/outcome.ts";
import { checkInvariants } from "../../state/invariants.ts";
import { Dice } from "../dice.ts";
import { checkInput, checkPlan } from "./check-options.ts";
import { showsOrder } from "./equality.ts";
import { faultKinds, type FaultKind } from "./faults.ts";
import { runnableOf, watchedPlan } from "./instrument.ts";
import { playSeed, type SeedOptions, type SeedVerdict } from "./play-seed.ts";
import type { Machine } from "./process.ts";
import { addCase, newReport, type SimulationReport } from "./report.ts";
import type { CaseSettings, Subject } from "./subject.ts";

export type { FaultKind, Machine, SimulationReport };

export interface SimulateOptions<I> {
  /** Of every run, or of the run with that number (from 0) under that seed. */
  readonly input: I | ((seed: number, run: number) => I);
  /** How many, from 1 on; or which ones. Default 200. */
  readonly seeds?: number | readonly number[];
  /** Engines that share the store. Default 3. */
  readonly workers?: number;
  /** Runs at once. Default 1. */
  readonly runs?: number;
  /**
   * What a question is answered with: the same for the same question. Undefined leaves it to its time limit. Default: a
   * question with a time limit is left to it, a body in doubt runs again (`{ rerun: true }`), any other question is refused.
   */
  readonly answer?: (question: Interrupt, seed: number) => unknown;
  /** What the ops of the graph need, made anew for every process; `machine` has the time and the chance of the simulation. */
  readonly resources?: (machine: Machine) => readonly Provision[];
  /** What the caller tells every run. */
  readonly context?: unknown;
  /** Default `record`. */
  readonly errors?: "record" | "raise";
  /** Default: `sync` or `async`, drawn by each seed. `exit`: what a run had done since it rested last is done again. */
  readonly durability?: Durability;
  /** What may go wrong. Default: everything. */
  readonly faults?: readonly FaultKind[];
  /**
   * An interrupted run comes to what an uninterrupted one comes to, failures included. Default: as the plan says, and only
   * where nothing fails. `report.showsOrder` says why it is not compared.
   */
  readonly orderFree?: boolean;
  /** What every engine is given the store through: a backend of one's own around it. Default: the store as it is. */
  readonly backend?: (store: Backend) => Backend;
}

/** Lines of the schedule that an error shows. */
const shownLines = 60;

/**
 * Runs a graph again and again on several engines over one store, while they are killed, stand still for longer than their
 * leases and wake up, lose commits or do not hear of them, and their clocks jump; all drawn from seeds, in virtual time. Each
 * case is judged by the invariants I1 to I12, by the reference interpreter, and where no order of events can show in the
 * outcome, by that of an uninterrupted run. The same seed plays the same case.
 *
 * Bodies must do nothing that takes real time: no timers and no I/O. What they need of the outside comes in by `resources`.
 *
 * @throws MillraceError `SimulationFailed` at the first case that is not right, with its seed and what happened in it;
 * `InvalidOption` for wrong settings and graphs with live inputs
 */
export async function simulate<I>(
  graph: Runnable<I, unknown>,
  options: SimulateOptions<NoInfer<I>>,
): Promise<SimulationReport> {
  const plan = planOf(graph);
  checkInput(options);
  const seeds = seedsOf(options.seeds ?? 200);
  checkPlan(plan, options);
  const { workers = 3, orderFree } = options;
  const why = orderFree === undefined ? showsOrder(plan, options.errors ?? "record") : null;
  const report = newReport(workers, told(seeds), orderFree === false ? "orderFree: false" : why);
  const how: SeedOptions = { kinds: new Set(options.faults ?? faultKinds), surely: orderFree === true };
  for (const seed of seeds) {
    const settings = settingsOf(seed, options);
    const subject = subjectOf(plan, seed, settings, options, report.showsOrder === null);
    const verdict = await playSeed(subject, settings, how);
    if (verdict.faults.length > 0) throw failure(plan, seed, verdict, await again(subject, settings, how, verdict));
    addCase(report, verdict.played, verdict.journals, verdict.compared);
  }
  return report;
}

function seedsOf(seeds: number | readonly number[]): readonly number[] {
  const list = typeof seeds === "number" ? Array.from({ length: seeds }, (_, i) => i + 1) : seeds;
  if (list.length > 0 && list.every(Number.isSafeInteger)) return list;
  throw new MillraceError("InvalidOption", "simulate: seeds is a number of seeds, or a list of them", {
    hint: "seeds: 500, or seeds: [17]",
  });
}

function told(seeds: readonly number[]): string {
  const [first = 0] = seeds;
  const isRange = seeds.every((seed, i) => seed === first + i);
  return isRange && seeds.length > 1 ? `${first} .. ${first + seeds.length - 1}` : seeds.join(", ");
}

/** Settings that a seed draws. */
function settingsOf(seed: number, { workers = 3, runs = 1, durability }: SimulateOptions<unknown>): CaseSettings {
  const dice = new Dice(seed, 30);
  const cap = (): number | undefined => (dice.chance(0.2) ? 1 + dice.below(4) : undefined);
  const drawn = dice.chance(0.5) ? "sync" : "async";
  return {
    seed,
    workers,
    runs,
    durability: durability ?? drawn,
    concurrency: cap(),
    runConcurrency: cap(),
    snapshots: dice.chance(0.3),
    maxRecords: undefined,
    keys: seed % 8 === 0,
    reads: seed % 4 === 0,
    check: seed % 8 === 1 ? checkInvariants : null,
  };
}

function subjectOf(
  plan: Plan,
  seed: number,
  { keys }: CaseSettings,
  options: SimulateOptions<unknown>,
  orderFree: boolean,
): Subject {
  const { input, errors = "record", context, answer, resources = () => [], backend = (store) => store } = options;
  const inDoubt = new Set(plan.slots.filter(({ op }) => op?.effect === "unsafe").map(({ name }) => name));
  const answered = (question: Interrupt): unknown => {
    const given = answer?.(question, seed);
    return given === undefined && inDoubt.has(question.node) ? { rerun: true } : given;
  };
  return {
    plan,
    fickle: new Set(),
    orderFree,
    input: (run) =>
      typeof input === "function" ? (input as (seed: number, run: number) => unknown)(seed, run) : input,
    errors,
    context,
    answer: answered,
    runnable: (process) => runnableOf(watchedPlan(plan, process.watch(keys))),
    resources,
    wrap: backend,
  };
}

/** Whether the same seed plays the same case: if not, something in a body is none of the simulation's. */
async function again(subject: Subject, settings: CaseSettings, how: SeedOptions, first: SeedVerdict): Promise<boolean> {
  const { played } = await playSeed(subject, settings, how);
  return played.log.join("\n") === first.played.log.join("\n");
}

function failure({ name }: Plan, seed: number, { faults, played }: SeedVerdict, same: boolean): MillraceError {
  const [first = "", ...others] = faults;
  const { log } = played;
  const text = [
    first,
    ...others.slice(0, 4).map((fault) => `  also: ${fault}`),
    "  what happened:",
    ...(log.length > shownLines ? [`    … ${log.length - shownLines} lines before`] : []),
    ...log.slice(-shownLines).map((line) => `    ${line}`),
  ];
  const again = same
    ? `simulate(…, { seeds: [${seed}] }) plays this case alone, the same way each time`
    : `seed ${seed} played another way the second time: a body goes by something that is not drawn from the seed (time, chance, I/O); give it those by resources`;
  return errorOf("SimulationFailed", { graph: name, seed, faults: text.join("\n"), again });
}
