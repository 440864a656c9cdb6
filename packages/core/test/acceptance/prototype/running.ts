/** Runs a workflow whose questions a script answers: on no backend, on memory, and crashed behind every record. */
import { expect } from "vitest";
import {
  memory,
  MillraceError,
  openEngine,
  type EngineOptions,
  type Handle,
  type Interrupt,
  type Runnable,
  type RunOptions,
  type RunResult,
} from "../../../src/index.ts";
import { checkInvariants } from "../../../src/state/invariants.ts";
import { countsOf } from "../support/files.ts";
import { crashedBehind, recordingOf, type Recording } from "../support/journal.ts";
import { newWorld, world } from "./world.ts";

export interface Script {
  readonly answer?: (question: Interrupt) => unknown;
  readonly run?: RunOptions;
  readonly engine?: EngineOptions;
  /** What bodies wait for; again after every crash. */
  readonly wait?: typeof world.wait;
}

export interface Told {
  readonly result: RunResult<unknown>;
  /** What the bodies did, one line each. */
  readonly did: readonly string[];
}

export interface Recorded extends Told {
  readonly recording: Recording;
}

/** One undisturbed run without a backend. */
export async function plainly<I, O>(graph: Runnable<I, O>, input: NoInfer<I>, script: Script = {}): Promise<Told> {
  begin(script);
  const engine = await openEngine(optionsOf(script));
  try {
    const handle = await engine.start(graph, input, script.run);
    return { result: await answered(handle, script), did: world.did };
  } finally {
    await engine.close();
  }
}

/** One undisturbed run on memory, and its journal. */
export async function recorded<I, O>(graph: Runnable<I, O>, input: NoInfer<I>, script: Script = {}): Promise<Recorded> {
  begin(script);
  const backend = memory();
  const engine = await openEngine({ ...optionsOf(script), backend });
  try {
    const handle = await engine.start(graph, input, { ...script.run, id: "run" });
    const result = await answered(handle, script);
    return { result, did: world.did, recording: await recordingOf(backend, "run") };
  } finally {
    await engine.close();
  }
}

/** Runs the workflow undisturbed, then once more for every record of its journal, crashed behind it: `look` judges that. */
export async function crashedEverywhere<I, O>(
  graph: Runnable<I, O>,
  input: NoInfer<I>,
  script: Script,
  look: (after: Told, cut: number) => void,
): Promise<Recorded> {
  const whole = await recorded(graph, input, script);
  const { records } = whole.recording;
  // The last record stands in one transaction with the run's status; dropped items and decisions (5, 10) in one row with
  // the event that caused them.
  for (let cut = 1; cut < records.length; cut++)
    if (![5, 10].includes(records[cut]?.[0] as number))
      look(await afterCrash(whole.recording, cut, graph, script), cut);
  return whole;
}

/** Runs the workflow undisturbed, then forks it at every record that it had not ended by: `look` judges each fork. */
export async function forkedEverywhere<I, O>(
  graph: Runnable<I, O>,
  input: NoInfer<I>,
  script: Script,
  look: (fork: Told, at: number) => void,
): Promise<number> {
  begin(script);
  const engine = await openEngine({ ...optionsOf(script), backend: memory(), graphs: [graph] });
  let forks = 0;
  try {
    await answered(await engine.start(graph, input, { ...script.run, id: "run" }), script);
    const before = await Array.fromAsync(engine.history("run"));
    for (let at = 1; at < before.length; at++) {
      begin(script);
      const fork = await engine.fork("run", { at }).catch(unlessEnded);
      if (fork === null) break;
      look({ result: await answered(fork, script), did: world.did }, at);
      forks++;
    }
    expect(await Array.fromAsync(engine.history("run"))).toEqual(before);
  } finally {
    await engine.close();
  }
  return forks;
}

function unlessEnded(error: unknown): null {
  if (error instanceof MillraceError && error.code === "NothingToFork") return null;
  throw error;
}

/**
 * With a backend, without one, over a crash at any record and forked at any record the result is the same, and after a
 * crash and in a fork no body does what it had not done otherwise.
 */
export async function sameEverywhere<I, O>(
  graph: Runnable<I, O>,
  input: NoInfer<I>,
  script: Script = {},
): Promise<Told> {
  const seen: { readonly after: Told; readonly cut: number }[] = [];
  const whole = await crashedEverywhere(graph, input, script, (after, cut) => seen.push({ after, cut }));
  const once = countsOf(whole.did);
  const plain = await plainly(graph, input, script);
  expect(plain.result).toEqual(whole.result);
  expect(countsOf(plain.did)).toEqual(once);
  expect(seen.length).toBeGreaterThan(1);
  for (const { after, cut } of seen) {
    expect({ cut, result: after.result }).toEqual({ cut, result: whole.result });
    for (const [line, count] of Object.entries(countsOf(after.did)))
      expect([cut, line, count <= (once[line] ?? 0)]).toEqual([cut, line, true]);
  }
  const check = ({ result, did }: Told, at: number): void => {
    expect({ at, result }).toEqual({ at, result: whole.result });
    for (const [line, count] of Object.entries(countsOf(did)))
      expect([at, line, count <= (once[line] ?? 0)]).toEqual([at, line, true]);
    // What was over is not done again.
    expect(did.length).toBeLessThanOrEqual(whole.did.length - finishedBy(whole.recording, at));
  };
  expect(await forkedEverywhere(graph, input, script, check)).toBeGreaterThan(0);
  return whole;
}

/** Ops of the workflow do one thing each. */
function finishedBy({ records }: Recording, at: number): number {
  return records.slice(0, at).filter(([kind]) => kind === 1).length;
}

async function afterCrash(
  recording: Recording,
  cut: number,
  graph: Runnable<never, unknown>,
  script: Script,
): Promise<Told> {
  begin(script);
  const backend = await crashedBehind(recording, cut);
  const engine = await openEngine({ ...optionsOf(script), backend, graphs: [graph] });
  try {
    const [handle] = engine.recovered;
    if (handle === undefined) throw new Error(`the run was not taken over behind ${cut}`);
    return { result: await answered(handle, script), did: world.did };
  } finally {
    await engine.close();
  }
}

async function answered(
  handle: Pick<Handle<unknown>, "result" | "answer">,
  { answer }: Script,
): Promise<RunResult<unknown>> {
  for (;;) {
    const result = await handle.result();
    if (result.status !== "interrupted" || answer === undefined) return result;
    const [question] = result.interrupts;
    await handle.answer(question!.id, answer(question!));
  }
}

function begin({ wait }: Script): void {
  newWorld();
  if (wait !== undefined) world.wait = wait;
}

function optionsOf({ engine }: Script): EngineOptions {
  return { warn: () => undefined, check: checkInvariants, ...engine };
}
