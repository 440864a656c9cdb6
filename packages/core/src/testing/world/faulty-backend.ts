/** The store as one process of the world reaches it: through a network that takes its time, and fails as scheduled. */
import { errorOf } from "../../base/error.ts";
import { WrappedBackend } from "../../backends/wrapped.ts";
import type {
  Append,
  AppendResult,
  Backend,
  ClaimRequest,
  CreateResult,
  JournalRow,
  NewRun,
  RunFilter,
  RunRow,
} from "../../ports/backend.ts";
import type { Note, Post, PostResult } from "../../ports/inbox.ts";
import type { Process } from "./process.ts";

/** What is done about one commit: what goes wrong in it, if anything. */
export interface Striking {
  readonly kind: "lostCommit" | "unknownCommit" | "repeatedCommit" | "before" | "after";
  /** Of `before` and `after`: what happens then. */
  strike(): void;
}

/** What happens in the world is seen, and goes wrong, by this. */
export interface Overseer {
  /** A commit is about to be done; null: nothing is wrong with it. */
  commit(process: Process, what: string): Striking | null;
  created(process: Process, run: NewRun, result: CreateResult): void;
  appended(process: Process, append: Append, result: AppendResult): void;
  claimed(process: Process, rows: readonly RunRow[]): void;
  /** When this hint comes: never, at once or again. */
  hint(process: Process, tell: () => void): void;
}

export class FaultyBackend extends WrappedBackend {
  readonly #process: Process;
  readonly #overseer: Overseer;

  constructor(inner: Backend, process: Process, overseer: Overseer) {
    super(inner);
    this.#process = process;
    this.#overseer = overseer;
  }

  override alive(): boolean {
    return !this.#process.lapsed && super.alive();
  }

  override onHint(listener: () => void): void {
    super.onHint(() => this.#overseer.hint(this.#process, listener));
  }

  /** Whoever follows a run asks. */
  override get watchRun(): undefined {
    return undefined;
  }

  /** A request and its reply, each of which may find nobody. */
  #call<T>(act: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#process.later(() => {
        if (this.#isCutOff) reject(this.#unreachable());
        else this.#answer(act(), resolve, reject);
      });
    });
  }

  #answer<T>(answer: Promise<T>, resolve: (value: T) => void, reject: (error: unknown) => void): void {
    const process = this.#process;
    answer.then(
      (value) => process.reach(() => resolve(value)),
      (error: unknown) => process.reach(() => reject(error)),
    );
  }

  get #isCutOff(): boolean {
    return this.#process.cutOffUntil > this.#process.world.now;
  }

  #unreachable(): Error {
    return errorOf("DatabaseUnavailable.connection", { backend: this.name, detail: "the simulation cut it off" });
  }

  #commit<T>(runId: string, what: string, act: () => Promise<T>): Promise<T> {
    const process = this.#process;
    return new Promise((resolve, reject) => {
      const fail = (): void =>
        process.reach(() =>
          reject(errorOf("DatabaseUnavailable.unknown", { backend: this.name, runId, detail: "of the simulation" })),
        );
      const commit = (): void => {
        if (this.#isCutOff) {
          reject(this.#unreachable());
          return;
        }
        const striking = this.#overseer.commit(process, what);
        this.#strike(striking, act, fail, (answer) => this.#answer(answer, resolve, reject));
      };
      process.later(commit);
    });
  }

  #strike<T>(
    striking: Striking | null,
    act: () => Promise<T>,
    fail: () => void,
    answer: (result: Promise<T>) => void,
  ): void {
    const process = this.#process;
    switch (striking?.kind) {
      case undefined:
        answer(act());
        return;
      case "lostCommit":
        fail();
        return;
      case "unknownCommit":
        act().then(fail, fail);
        return;
      case "repeatedCommit":
        answer(
          act().then(async (result) => {
            await act();
            return result;
          }),
        );
        return;
      case "before":
        striking.strike();
        // Of a dead process nothing is done; of one that stands still, when it goes on.
        process.reach(() => answer(act()));
        return;
      default: {
        const acted = act();
        striking?.strike();
        answer(acted);
      }
    }
  }

  override create(run: NewRun): Promise<CreateResult> {
    return this.#commit(run.id, `record 1 of ${run.id}`, async () => {
      const result = await this.inner.create(run);
      this.#overseer.created(this.#process, run, result);
      return result;
    });
  }

  override append(append: Append): Promise<AppendResult> {
    const { row, runId, epoch } = append;
    const records =
      row.count === 1 ? `record ${row.firstSeq}` : `records ${row.firstSeq}-${row.firstSeq + row.count - 1}`;
    return this.#commit(runId, `${records} of ${runId} under epoch ${epoch}`, async () => {
      const result = await this.inner.append(append);
      this.#overseer.appended(this.#process, append, result);
      return result;
    });
  }

  override claim(request: ClaimRequest): Promise<RunRow[]> {
    return this.#call(async () => {
      const rows = await this.inner.claim(request);
      this.#overseer.claimed(this.#process, rows);
      return rows;
    });
  }

  override release(runId: string, epoch: number, unbegun?: boolean): Promise<void> {
    return this.#call(() => this.inner.release(runId, epoch, unbegun));
  }

  override post(post: Post): Promise<PostResult> {
    return this.#call(() => this.inner.post(post));
  }

  override reject(runId: string, id: number): Promise<void> {
    return this.#call(() => this.inner.reject(runId, id));
  }

  override putBlob(hash: string, bytes: Uint8Array): Promise<void> {
    return this.#call(() => this.inner.putBlob(hash, bytes));
  }

  override get(runId: string): Promise<RunRow | undefined> {
    return this.#look(() => this.inner.get(runId));
  }

  override list(filter?: RunFilter): Promise<RunRow[]> {
    return this.#look(() => this.inner.list(filter));
  }

  override inbox(runId: string): Promise<Note[]> {
    return this.#look(() => this.inner.inbox(runId));
  }

  override arrivals(limit: number): Promise<string[]> {
    return this.#look(() => this.inner.arrivals(limit));
  }

  /** Reading takes no time of its own, so that a case is not all reading. */
  #look<T>(look: () => Promise<T>): Promise<T> {
    if (this.#isCutOff) return Promise.reject(this.#unreachable());
    return new Promise((resolve, reject) => this.#answer(look(), resolve, reject));
  }

  override async *read(runId: string, fromSeq?: number): AsyncIterable<JournalRow> {
    if (this.#isCutOff) throw this.#unreachable();
    yield* this.inner.read(runId, fromSeq);
    await new Promise<void>((resolve) => this.#process.reach(resolve));
  }

  override async close(): Promise<void> {
    await this.inner.close();
  }
}
