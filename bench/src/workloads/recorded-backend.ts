/**
 * A backend that remembers what it was told to write, and the same writes again without an engine: the floor of all
 * durable figures. It sends the very same runs and rows, byte for byte, through the same worker thread and the same
 * statements, each run's next row as soon as its last one is durable, all runs side by side.
 */
import type { Append, AppendResult, Backend, CreateResult, NewRun } from "@millrace/core";

/** The writes of one run, in order. */
export interface RunWrites {
  readonly run: NewRun;
  readonly appends: Append[];
}

export interface Journal {
  readonly runs: ReadonlyMap<string, RunWrites>;
  /** Bytes of each blob, by its hash. */
  readonly blobs: ReadonlyMap<string, number>;
  /** Rows that became durable, and the messages of the worker in which that was told: their quotient is a commit's size. */
  readonly commits: CommitCount;
}

class CommitCount {
  rows = 0;
  commits = 0;
  #told = false;

  /** All that one message settles is settled before the next tick. */
  acknowledged = (): void => {
    this.rows++;
    if (this.#told) return;
    this.#told = true;
    this.commits++;
    process.nextTick(() => {
      this.#told = false;
    });
  };

  get rowsPerCommit(): number {
    return this.rows / this.commits;
  }
}

/** As `backend`, and `journal` fills up. */
export function recorded(backend: Backend): { backend: Backend; journal: Journal } {
  const runs = new Map<string, RunWrites>();
  const blobs = new Map<string, number>();
  const commits = new CommitCount();
  const watch: Partial<Backend> = {
    async create(run: NewRun): Promise<CreateResult> {
      runs.set(run.id, { run: { ...run, first: copyRow(run.first) }, appends: [] });
      const created = await backend.create(run);
      commits.acknowledged();
      return created;
    },
    async append(append: Append): Promise<AppendResult> {
      runs.get(append.runId)?.appends.push({ ...append, row: copyRow(append.row) });
      const appended = await backend.append(append);
      commits.acknowledged();
      return appended;
    },
    putBlob(hash: string, bytes: Uint8Array): Promise<void> {
      blobs.set(hash, bytes.byteLength);
      return backend.putBlob(hash, bytes);
    },
  };
  return { backend: overriding(backend, watch), journal: { runs, blobs, commits } };
}

function overriding(backend: Backend, watch: Partial<Backend>): Backend {
  return new Proxy(backend, {
    get(target, key) {
      const own = watch[key as keyof Backend];
      if (own !== undefined) return own;
      const member = Reflect.get(target, key) as unknown;
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}

/** The buffer may be transferred away. */
function copyRow<Row extends { readonly bytes: Uint8Array }>(row: Row): Row {
  return { ...row, bytes: row.bytes.slice() };
}

/** Writes it all again; resolves when it is durable. */
export async function rewrite(backend: Backend, journal: Journal): Promise<void> {
  await Promise.all(Array.from(journal.runs.values(), (writes) => rewriteRun(backend, writes)));
}

async function rewriteRun(backend: Backend, { run, appends }: RunWrites): Promise<void> {
  await backend.create(run);
  for (const append of appends) {
    const { type } = await backend.append(append);
    if (type === "lost") throw new Error(`run ${run.id} was lost while it was written again`);
  }
}

export function rowBytes(journal: Journal): number {
  let bytes = 0;
  for (const { run, appends } of journal.runs.values()) {
    bytes += run.first.bytes.byteLength;
    for (const { row } of appends) bytes += row.bytes.byteLength;
  }
  return bytes;
}

export function blobBytes({ blobs }: Journal): number {
  return Array.from(blobs.values()).reduce((sum, bytes) => sum + bytes, 0);
}

export function recordCount(journal: Journal): number {
  let records = 0;
  for (const { run, appends } of journal.runs.values()) {
    records += run.first.count;
    for (const { row } of appends) records += row.count;
  }
  return records;
}
