import { errorOf, invariantBroken, type MillraceError } from "../base/error.ts";
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
  RunStatus,
} from "../ports/backend.ts";

/**
 * A backend whose store lives in this process and ends with it. For tests, browsers and runs nobody needs to resume
 * after a crash; the semantics are those of the other backends (fencing, ownership, copies of bytes).
 */
export interface MemoryBackend extends Backend {
  /** Another handle on the same store, for a second engine. */
  another(): MemoryBackend;
  /** This handle's owner dies as in a crash: nothing is released, but others may claim its runs. For tests. */
  abandon(): Promise<void>;
}

/** A new, empty store and the first handle on it. */
export function memory(): MemoryBackend {
  return new MemoryHandle({ runs: new Map(), blobs: new Map(), liveOwners: new Set() });
}

interface Store {
  /** In the order of creation. */
  readonly runs: Map<string, StoredRun>;
  readonly blobs: Map<string, Uint8Array>;
  readonly liveOwners: Set<string>;
}

interface StoredRun {
  row: RunRow;
  readonly journal: JournalRow[];
}

const endedStatuses: ReadonlySet<RunStatus> = new Set<RunStatus>(["completed", "failed", "cancelled", "discarded"]);

class MemoryHandle implements MemoryBackend {
  readonly name: string = "memory";
  readonly #store: Store;
  #owner: string | undefined;

  constructor(store: Store) {
    this.#store = store;
  }

  another(): MemoryBackend {
    return new MemoryHandle(this.#store);
  }

  async abandon(): Promise<void> {
    if (this.#owner !== undefined) this.#store.liveOwners.delete(this.#owner);
  }

  async open(owner: string): Promise<void> {
    if (this.#owner !== undefined) throw alreadyOpen(this.#owner);
    if (this.#store.liveOwners.has(owner)) throw ownerInUse(owner);
    for (const run of this.#store.runs.values()) {
      if (run.row.owner === owner) run.row = { ...run.row, owner: null };
    }
    this.#store.liveOwners.add(owner);
    this.#owner = owner;
  }

  async create(run: NewRun): Promise<CreateResult> {
    const owner = this.#requireOwner();
    checkId(run.id);
    checkRow(run.first, 1);
    const standing = this.#store.runs.get(run.id);
    if (standing !== undefined) return { type: "exists", row: standing.row };
    const { id, graph, fingerprint, createdAt, traceId = null, labels = null } = run;
    const { count, chain } = run.first;
    const row: RunRow = {
      id,
      graph,
      fingerprint,
      status: "running",
      owner,
      epoch: 1,
      lastSeq: count,
      chain,
      createdAt,
      updatedAt: createdAt,
      endedAt: null,
      traceId,
      labels: labels === null || Object.keys(labels).length === 0 ? null : Object.freeze({ ...labels }),
    };
    this.#store.runs.set(id, { row, journal: [copyRow(run.first)] });
    return { type: "created" };
  }

  async append(append: Append): Promise<AppendResult> {
    this.#requireOwner();
    checkRow(append.row, append.row.firstSeq);
    const run = this.#store.runs.get(append.runId);
    const { firstSeq, count, chain } = append.row;
    if (run === undefined || run.row.epoch !== append.epoch || run.row.lastSeq !== firstSeq - 1) {
      return { type: "lost", row: run?.row };
    }
    run.journal.push(copyRow(append.row));
    run.row = {
      ...run.row,
      lastSeq: firstSeq + count - 1,
      chain,
      updatedAt: append.at,
      owner: append.release === true ? null : run.row.owner,
      fingerprint: append.fingerprint ?? run.row.fingerprint,
      ...(append.status !== undefined && {
        status: append.status,
        endedAt: endedStatuses.has(append.status) ? append.at : null,
      }),
    };
    return { type: "ok" };
  }

  async *read(runId: string, fromSeq = 1): AsyncIterable<JournalRow> {
    this.#requireOwner();
    const journal = this.#store.runs.get(runId)?.journal ?? [];
    for (const row of journal) {
      if (row.firstSeq + row.count > fromSeq) yield copyRow(row);
    }
  }

  async get(runId: string): Promise<RunRow | undefined> {
    this.#requireOwner();
    return this.#store.runs.get(runId)?.row;
  }

  async list(filter: RunFilter = {}): Promise<RunRow[]> {
    this.#requireOwner();
    const { status, graph, labels = {}, limit } = filter;
    const wanted = Object.entries(labels);
    const rows = [...this.#store.runs.values()]
      .map((run) => run.row)
      .filter((row) => (status?.includes(row.status) ?? true) && (graph === undefined || row.graph === graph))
      .filter((row) => wanted.every(([key, value]) => labelOf(row, key) === value));
    // Reversed first, so that of two runs with one time the later comes first: the sort is stable.
    rows.reverse().sort((a, b) => b.createdAt - a.createdAt);
    return rows.slice(0, limit);
  }

  async claim(request: ClaimRequest): Promise<RunRow[]> {
    const owner = this.#requireOwner();
    return [...this.#store.runs.values()]
      .filter((run) => this.#claimable(run.row, request))
      .sort((a, b) => a.row.createdAt - b.row.createdAt)
      .slice(0, request.limit)
      .map((run) => {
        run.row = { ...run.row, owner, epoch: run.row.epoch + 1, updatedAt: request.at };
        return run.row;
      });
  }

  async release(runId: string, epoch: number): Promise<void> {
    const owner = this.#requireOwner();
    const run = this.#store.runs.get(runId);
    if (run?.row.epoch === epoch && run.row.owner === owner) run.row = { ...run.row, owner: null };
  }

  async putBlob(hash: string, bytes: Uint8Array): Promise<void> {
    this.#requireOwner();
    if (!this.#store.blobs.has(hash)) this.#store.blobs.set(hash, new Uint8Array(bytes));
  }

  async getBlob(hash: string): Promise<Uint8Array | undefined> {
    this.#requireOwner();
    const bytes = this.#store.blobs.get(hash);
    return bytes === undefined ? undefined : new Uint8Array(bytes);
  }

  async close(): Promise<void> {
    await this.abandon();
    this.#owner = undefined;
  }

  #requireOwner(): string {
    if (this.#owner === undefined) throw errorOf("BackendNotOpen", { backend: "memory" });
    return this.#owner;
  }

  #claimable(row: RunRow, request: ClaimRequest): boolean {
    const { runId, graphs, statuses } = request;
    return (
      statuses.includes(row.status) &&
      (row.owner === null || !this.#store.liveOwners.has(row.owner)) &&
      (runId === undefined || row.id === runId) &&
      (graphs?.includes(row.graph) ?? true)
    );
  }
}

/** B3, as far as it can be seen without the run. */
function checkRow(row: JournalRow, firstSeq: number): void {
  if (row.firstSeq !== firstSeq || !(row.firstSeq >= 1) || !(row.count >= 1)) {
    throw invariantBroken("B3", `a journal row claims ${row.count} records from ${row.firstSeq}`);
  }
}

function checkId(id: string): void {
  if (!id.isWellFormed()) {
    throw errorOf("InvalidRunId", { id: JSON.stringify(id) });
  }
}

function labelOf({ labels }: RunRow, key: string): string | undefined {
  return labels !== null && Object.hasOwn(labels, key) ? labels[key] : undefined;
}

function copyRow(row: JournalRow): JournalRow {
  // A copy by the constructor: `slice` of a Buffer would share its memory.
  return { firstSeq: row.firstSeq, count: row.count, bytes: new Uint8Array(row.bytes), chain: row.chain };
}

function alreadyOpen(owner: string): MillraceError {
  return errorOf("BackendInUse.memory", { owner });
}

function ownerInUse(owner: string): MillraceError {
  return errorOf("OwnerInUse", { where: "memory", owner });
}
