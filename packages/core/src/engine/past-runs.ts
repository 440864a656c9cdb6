/** What an engine tells and makes of runs as they are stored, whoever drives them. */
import { compactFreely, compactRun, type Compacted } from "../journal/compact/compact-run.ts";
import { foldJournal } from "../journal/fold.ts";
import type { Backend, RunRow } from "../ports/backend.ts";
import type { Clock } from "../ports/clock.ts";
import type { RunInfo } from "./api.ts";
import { prepareFork, type Fork } from "./fork.ts";
import { previewOf } from "./fork-preview.ts";
import {
  checkForkOptions,
  checkHistoryOptions,
  checkStateOptions,
  type ForkOptions,
  type HistoryOptions,
  type StateOptions,
} from "./fork-options.ts";
import type { Graphs } from "./graphs.ts";
import { historyOf, stateAt } from "./history.ts";
import type { ForkPreview, HistoryEntry, Origin, RunAt } from "./history-api.ts";
import { runNotFound } from "./run-errors.ts";

export class PastRuns {
  readonly #clock: Clock;
  readonly #graphs: Graphs;
  readonly #backendFor: (runId: string) => Backend;

  constructor(clock: Clock, graphs: Graphs, backendFor: (runId: string) => Backend) {
    this.#clock = clock;
    this.#graphs = graphs;
    this.#backendFor = backendFor;
  }

  async get(runId: string): Promise<RunInfo | undefined> {
    const backend = this.#backendFor(runId);
    const row = await backend.get(runId);
    if (row === undefined) return undefined;
    const { chain: _chain, ...info } = row;
    const journal = await foldJournal(backend, row);
    const { input, forkedFrom, finished, failed, errors, output, reason, status, interrupts, answered, bytes } =
      journal;
    return {
      ...info,
      input,
      finished,
      failed,
      errors,
      interrupts,
      answered,
      journalBytes: bytes,
      ...(status === "completed" ? { output } : {}),
      ...(reason === undefined ? {} : { reason }),
      ...(forkedFrom === undefined ? {} : { forkedFrom: forkedFrom as Origin }),
    };
  }

  /** @throws MillraceError `RunNotFound` */
  async row(runId: string): Promise<RunRow> {
    return (await this.#stored(runId)).row;
  }

  async fork(runId: string, options: ForkOptions): Promise<Fork> {
    checkForkOptions(options);
    const { backend, row } = await this.#stored(runId);
    return prepareFork(backend, row, this.#graphs.of(row), options);
  }

  async previewFork(runId: string, options: ForkOptions): Promise<ForkPreview> {
    checkForkOptions(options);
    const { backend, row } = await this.#stored(runId);
    const fork = await prepareFork(backend, row, this.#graphs.of(row), options);
    return previewOf(fork, row, this.#clock.now());
  }

  /** Wrong options throw at once, what is wrong with the run while it is read. */
  history(runId: string, options: HistoryOptions): AsyncIterable<HistoryEntry> {
    checkHistoryOptions(options);
    return this.#read(runId, options);
  }

  async *#read(runId: string, options: HistoryOptions): AsyncGenerator<HistoryEntry, void> {
    const { backend, row } = await this.#stored(runId);
    yield* historyOf(backend, row, this.#graphs.find(row.graph), options);
  }

  /** `driven`: by this engine. */
  compact(runId: string, driven: boolean): Promise<Compacted> {
    const backend = this.#backendFor(runId);
    return driven ? compactFreely(backend, runId) : compactRun(backend, runId);
  }

  async stateAt(runId: string, seq: number, options: StateOptions): Promise<RunAt> {
    checkStateOptions(options);
    const { backend, row } = await this.#stored(runId);
    return stateAt({ backend, clock: this.#clock }, row, this.#graphs.of(row), seq, options);
  }

  async #stored(runId: string): Promise<{ readonly backend: Backend; readonly row: RunRow }> {
    const backend = this.#backendFor(runId);
    const row = await backend.get(runId);
    if (row === undefined) throw runNotFound(runId, backend.name);
    return { backend, row };
  }
}
