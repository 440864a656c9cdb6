/** A run that another engine drives, seen through the backend. */
import { errorOf } from "../base/error.ts";
import type { Interrupt } from "../events/interrupt.ts";
import { foldJournal } from "../journal/fold.ts";
import { rebuildRun } from "../journal/rebuild.ts";
import { migrationFrom } from "../model/migration.ts";
import type { Output } from "../model/ref.ts";
import { noLabels, type Labels, type RunTags } from "../model/tags.ts";
import { endedStatuses, type RunRow } from "../ports/backend.ts";
import { noteWakes, type NoteKind } from "../ports/inbox.ts";
import type { Outcome } from "../runtime/outcome.ts";
import type { AnswerOptions, Cells, Handle, RunResult } from "./api.ts";
import type { Lookout } from "./lookout.ts";
import { postAnswer, type PostOffice, type Seen } from "./post-answer.ts";
import { cellsOf, outcomeError, resultOf } from "./result.ts";
import { runElsewhere, runEnded, runNotFound } from "./run-errors.ts";
import { checkGoesOn, isOver, storedOutcome } from "./standing.ts";
import type { ItemsOptions, StreamMode, StreamOptions } from "./stream/events.ts";
import { streamOfFollowed, type FollowedRun } from "./stream/followed.ts";
import { itemsOfFollowed } from "./stream/followed-items.ts";
import type { Iteration } from "./stream/iteration.ts";

const encoder = new TextEncoder();

export interface Remote extends PostOffice {
  readonly lookout: Lookout;
  /** Throws when this engine was closed. */
  readonly checkOpen: () => void;
}

/** @throws MillraceError `RunNotFound`, `RunEnded` */
export async function remoteRun(remote: Remote, runId: string): Promise<RemoteRun> {
  const row = await remote.backend.get(runId);
  if (row === undefined) throw runNotFound(runId, remote.backend.name);
  if (endedStatuses.has(row.status)) throw runEnded(row);
  return seenRun(remote, row);
}

export async function seenRun(remote: Remote, row: RunRow): Promise<RemoteRun> {
  const { interrupts } = await foldJournal(remote.backend, row);
  return new RemoteRun(remote, row, interrupts);
}

/** What can be asked of it is asked by notes, and what it does is read from its journal; live ports are where it runs. */
export class RemoteRun implements Handle<unknown> {
  readonly runId: string;
  readonly traceId: string | undefined;
  readonly labels: Labels;
  readonly #remote: Remote;
  readonly #tags: RunTags;
  /** As it stood when this handle was made. */
  readonly #row: RunRow;
  /** What it asked when this handle last looked; null: it did not look for that. */
  #seen: Seen | null;

  constructor(remote: Remote, row: RunRow, interrupts: readonly Interrupt[] | null) {
    const { traceId, labels } = row;
    this.runId = row.id;
    this.traceId = traceId ?? undefined;
    this.labels = labels ?? noLabels;
    this.#remote = remote;
    this.#row = row;
    this.#tags = { traceId, labels };
    this.#seen = interrupts === null ? null : { row, interrupts };
  }

  result(): Promise<RunResult<unknown>> {
    return this.#whileOpen(async () => {
      const { row, outcome } = await this.#outcome();
      return resultOf(outcome, await this.#cells(row), this.#tags);
    });
  }

  output(): Promise<Output<unknown>> {
    return this.#whileOpen(async () => {
      const { row, outcome } = await this.#outcome();
      if (outcome.status === "completed") return outcome.output;
      throw outcomeError(this.runId, row.graph, outcome, null);
    });
  }

  /** What a backend says that was closed under it is no news to whoever closed the engine. */
  async #whileOpen<T>(act: () => Promise<T>): Promise<T> {
    try {
      return await act();
    } catch (error) {
      this.#remote.checkOpen();
      throw error;
    }
  }

  /** As they were when this handle last looked. */
  interrupts(): readonly Interrupt[] {
    return this.#seen?.interrupts ?? [];
  }

  answer(which: string, value: unknown, options: AnswerOptions = {}): Promise<void> {
    return this.#whileOpen(() => postAnswer(this.#remote, this.runId, which, value, options, this.#seen));
  }

  async cancel(reason = "cancelled by the caller"): Promise<RunResult<unknown>> {
    await this.#post("cancel", "", reason);
    return this.result();
  }

  /** Once for each time that the run was taken up: it may be resumed, and drained again. */
  async drain(): Promise<RunResult<unknown>> {
    const row = await this.#remote.backend.get(this.runId);
    await this.#post("drain", String(row?.epoch ?? 0), "");
    return this.result();
  }

  send(): Promise<void> {
    return Promise.reject(runElsewhere(this.runId));
  }

  end(): void {
    throw runElsewhere(this.runId);
  }

  receive(): AsyncIterable<unknown> {
    throw runElsewhere(this.runId);
  }

  stream(modes: StreamMode | readonly StreamMode[], options: StreamOptions = {}): Iteration<never> {
    // The events are of the modes that were asked for.
    return streamOfFollowed(this.followed(), modes, options) as Iteration<never>;
  }

  items(key?: string, options: ItemsOptions = {}): Iteration<never> {
    return itemsOfFollowed(this.followed(), key, options) as Iteration<never>;
  }

  /** @throws MillraceError `UnknownGraph` */
  followed(): FollowedRun {
    const { backend, host, lookout, planOf, checkOpen } = this.#remote;
    checkOpen();
    const row = this.#row;
    const plan = planOf(row);
    const has = "it was opened without that graph";
    if (plan === undefined) throw errorOf("UnknownGraph", { runId: row.id, graph: row.graph, has });
    const cancel = (reason: string): Promise<unknown> => this.#post("cancel", "", reason);
    return { backend, clock: host.clock, lookout, row, plan, checkOpen, cancel };
  }

  async #post(kind: NoteKind, key: string, text: string): Promise<void> {
    const { backend, host } = this.#remote;
    const at = host.clock.now();
    const bytes = encoder.encode(text);
    const note = { runId: this.runId, kind, key, bytes, by: null, at, wakes: noteWakes[kind] };
    const result = await this.#whileOpen(() => backend.post(note));
    // An earlier wish of the same kind stands for this one; a run that has ended is told by its result.
    if (result.type === "refused" && result.row === undefined) throw runNotFound(this.runId, backend.name);
    if (result.type === "refused" && kind === "drain" && result.row !== undefined) throw runEnded(result.row);
  }

  /** Waits until it ends or comes to rest. */
  async #outcome(): Promise<{ readonly row: RunRow; readonly outcome: Outcome }> {
    const { backend, lookout, checkOpen } = this.#remote;
    checkOpen();
    const sight = lookout.sight(this.runId);
    try {
      for (;;) {
        checkOpen();
        const row = await sight.look();
        if (row === undefined) throw runNotFound(this.runId, backend.name);
        if (isOver(row)) return { row, outcome: await this.#over(row) };
        checkGoesOn(row);
        await new Promise<void>((resolve) => sight.wait(resolve));
      }
    } finally {
      sight.close();
    }
  }

  async #over(row: RunRow): Promise<Outcome> {
    const outcome = await storedOutcome(this.#remote.backend, row);
    this.#seen = { row, interrupts: outcome.interrupts ?? [] };
    return outcome;
  }

  /** They are folded by the graph's own functions; without it there is nothing to show. */
  async #cells(row: RunRow): Promise<Cells> {
    const { backend, planOf } = this.#remote;
    const plan = planOf(row);
    if (plan === undefined || migrationFrom(plan, row.fingerprint) === null || plan.cells.length === 0) return {};
    const options = { allowGraphChange: false, owned: false, probe: null, check: null };
    const { run } = await rebuildRun(backend, row, plan, options);
    return cellsOf(run);
  }
}
