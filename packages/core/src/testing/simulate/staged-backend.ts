/** A memory backend whose commits take their time on a stage, and which dies with it at a chosen record. */
import type { MemoryBackend } from "../../backends/memory.ts";
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
import type { Stage } from "./stage.ts";

/** The commit that holds record `seq` is the last thing that happens, or the first thing that does not. */
export interface Crash {
  readonly seq: number;
  readonly commits: boolean;
}

/** A dead process gets no answers. */
const never = new Promise<void>(() => undefined);

export class StagedBackend implements Backend {
  readonly name = "staged memory";
  readonly #store: MemoryBackend;
  readonly #stage: Stage;
  readonly #crash: Crash | null;

  constructor(store: MemoryBackend, stage: Stage, crash: Crash | null) {
    this.#store = store;
    this.#stage = stage;
    this.#crash = crash;
  }

  create(run: NewRun): Promise<CreateResult> {
    return this.#commit(run.first, () => this.#store.create(run));
  }

  append(append: Append): Promise<AppendResult> {
    return this.#commit(append.row, () => this.#store.append(append));
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

  open(owner: string): Promise<void> {
    return this.#store.open(owner);
  }

  async *read(runId: string, fromSeq?: number): AsyncIterable<JournalRow> {
    yield* this.#store.read(runId, fromSeq);
    if (this.#stage.dead) await never;
  }

  get(runId: string): Promise<RunRow | undefined> {
    return this.#store.get(runId);
  }

  list(filter?: RunFilter): Promise<RunRow[]> {
    return this.#store.list(filter);
  }

  claim(request: ClaimRequest): Promise<RunRow[]> {
    return this.#store.claim(request);
  }

  release(runId: string, epoch: number): Promise<void> {
    return this.#store.release(runId, epoch);
  }

  putBlob(hash: string, bytes: Uint8Array): Promise<void> {
    return this.#store.putBlob(hash, bytes);
  }

  getBlob(hash: string): Promise<Uint8Array | undefined> {
    return this.#store.getBlob(hash);
  }

  close(): Promise<void> {
    return this.#store.close();
  }
}
