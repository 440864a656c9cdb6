/** A memory backend whose commits take their time on a stage, and which dies with it at a chosen record. */
import type { MemoryBackend } from "../../backends/memory.ts";
import { WrappedBackend } from "../../backends/wrapped.ts";
import type { Append, AppendResult, CreateResult, JournalRow, NewRun } from "../../ports/backend.ts";
import type { Post, PostResult } from "../../ports/inbox.ts";
import type { Stage } from "./stage.ts";

/** The commit that holds record `seq` is the last thing that happens, or the first thing that does not. */
export interface Crash {
  readonly seq: number;
  readonly commits: boolean;
}

/** A dead process gets no answers. */
const never = new Promise<never>(() => undefined);

export class StagedBackend extends WrappedBackend {
  readonly #stage: Stage;
  readonly #crash: Crash | null;

  constructor(store: MemoryBackend, stage: Stage, crash: Crash | null) {
    super(store);
    this.#stage = stage;
    this.#crash = crash;
  }

  override create(run: NewRun): Promise<CreateResult> {
    return this.#commit(run.first, () => this.inner.create(run));
  }

  override append(append: Append): Promise<AppendResult> {
    return this.#commit(append.row, () => this.inner.append(append));
  }

  #commit<T>(row: JournalRow, act: () => Promise<T>): Promise<T> {
    const crashes = this.#crash !== null && row.firstSeq + row.count > this.#crash.seq;
    return new Promise((resolve, reject) => {
      this.#stage.later(() => {
        if (this.#stage.dead) return;
        if (crashes) this.#stage.dead = true;
        if (crashes && !this.#crash?.commits && row.firstSeq > 1) return;
        const acted = act();
        if (!crashes) acted.then(resolve, reject);
      });
    });
  }

  override post(post: Post): Promise<PostResult> {
    return this.#stage.dead ? never : this.inner.post(post);
  }

  override async *read(runId: string, fromSeq?: number): AsyncIterable<JournalRow> {
    yield* this.inner.read(runId, fromSeq);
    if (this.#stage.dead) await never;
  }
}
