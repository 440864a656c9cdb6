import { WrappedBackend } from "../../../src/index.ts";
import type { Append, AppendResult, Backend, CreateResult, JournalRow, NewRun } from "../../../src/index.ts";
import { recordsIn, type RawRecord } from "./journal.ts";

/** What a test does to a backend's writes; each hook may wait, and may throw. */
export interface Faults {
  /** Before the write reaches the store: a throw means that nothing was written. */
  before?(append: Append): Promise<void> | void;
  /** After it is durable: a throw means that the writer cannot know. */
  after?(append: Append): Promise<void> | void;
  beforeBlob?(hash: string): Promise<void> | void;
}

/** A backend in front of another: slow, failing or watched. */
export class Faulty extends WrappedBackend {
  faults: Faults;
  /** Records that the store has, by run, in order. */
  readonly durable: Map<string, RawRecord[]> = new Map();
  readonly appends: Append[] = [];

  constructor(inner: Backend, faults: Faults = {}) {
    super(inner);
    this.faults = faults;
  }

  override get name(): string {
    return `faulty ${this.inner.name}`;
  }

  recordsOf(runId: string): readonly RawRecord[] {
    return this.durable.get(runId) ?? [];
  }

  #store(runId: string, row: JournalRow): void {
    this.durable.set(runId, [...this.recordsOf(runId), ...recordsIn(row)]);
  }

  override async create(run: NewRun): Promise<CreateResult> {
    const result = await this.inner.create(run);
    if (result.type === "created") this.#store(run.id, run.first);
    return result;
  }

  override async append(append: Append): Promise<AppendResult> {
    this.appends.push(append);
    await this.faults.before?.(append);
    const result = await this.inner.append(append);
    if (result.type === "ok") this.#store(append.runId, append.row);
    await this.faults.after?.(append);
    return result;
  }

  override async putBlob(hash: string, bytes: Uint8Array): Promise<void> {
    await this.faults.beforeBlob?.(hash);
    return this.inner.putBlob(hash, bytes);
  }
}
