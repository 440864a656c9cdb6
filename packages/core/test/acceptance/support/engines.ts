import { expect, onTestFinished } from "vitest";
import {
  memory,
  openEngine,
  type Backend,
  type Engine,
  type EngineOptions,
  type RunResult,
  type Runnable,
} from "../../../src/index.ts";
import { hostility, openHostile } from "./hostile.ts";
import { crashedBehind, recordingOf, type Recording } from "./journal.ts";
import { notHostile } from "./not-hostile.ts";

function isHostile(): boolean {
  if (hostility === "") return false;
  const { currentTestName = "", testPath = "" } = expect.getState();
  return !notHostile.some(
    ({ file, title = "" }) => testPath.endsWith(`/${file}.test.ts`) && currentTestName.includes(title),
  );
}

/** An engine that keeps its warnings to itself and closes with the test. */
export async function open(options: EngineOptions = {}): Promise<Engine> {
  const all = { warn: (): void => undefined, ...options };
  const engine = await (isHostile() ? openHostile(all) : openEngine(all));
  onTestFinished(() => engine.close());
  return engine;
}

export interface Crash {
  /** Records that were durable when the process died. */
  readonly cut: number;
  readonly recording: Recording;
  readonly result: RunResult<unknown>;
}

export interface Survey {
  readonly result: RunResult<unknown>;
  readonly recording: Recording;
}

/** One run without a crash, and its journal. */
export async function undisturbed<I, O>(
  graph: Runnable<I, O>,
  input: NoInfer<I>,
  options: EngineOptions = {},
): Promise<Survey> {
  const backend = memory();
  const engine = await open({ ...options, backend });
  const handle = await engine.start(graph, input, { id: "run" });
  const result = await handle.result();
  return { result, recording: await recordingOf(backend, "run") };
}

/** The run as another engine finishes it after a crash behind `cut` records. */
export async function afterCrash(
  recording: Recording,
  cut: number,
  graph: Runnable<never, unknown>,
  options: EngineOptions = {},
): Promise<RunResult<unknown>> {
  return resumedOn(await crashedBehind(recording, cut), graph, options);
}

export async function resumedOn(
  backend: Backend,
  graph: Runnable<never, unknown>,
  options: EngineOptions = {},
): Promise<RunResult<unknown>> {
  const engine = await openEngine({ warn: () => undefined, ...options, backend, graphs: [graph] });
  try {
    const [handle] = engine.recovered;
    if (handle === undefined) throw new Error("the run was not taken over");
    return await handle.result();
  } finally {
    await engine.close();
  }
}

/** Runs once undisturbed, then once more for every record of that journal, crashed behind it; `look` judges each. */
export async function crashEverywhere<I, O>(
  graph: Runnable<I, O>,
  input: NoInfer<I>,
  look: (crash: Crash, undisturbed: Survey) => void,
  options: EngineOptions = {},
): Promise<Survey> {
  const survey = await undisturbed(graph, input, options);
  const { recording } = survey;
  // The last record stands in one transaction with the run's status: nothing dies behind it.
  for (let cut = 1; cut < recording.records.length; cut++) {
    // Dropped items and decisions are written in one row with the event that caused them.
    if ([5, 10].includes(recording.records[cut]?.[0] as number)) continue;
    look({ cut, recording, result: await afterCrash(recording, cut, graph, options) }, survey);
  }
  return survey;
}
