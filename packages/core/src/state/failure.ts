import type { ErrorEntry, OpError } from "../events/record.ts";

/** One failed invocation; shared by everything it skips. */
export interface Failure {
  readonly error: OpError;
  /** Slot that the failure is reported under. */
  readonly anchor: number;
  readonly handled: boolean;
  /** Where it was thrown; not of `error`, which graphs pass on as a value: files lie elsewhere on other machines. */
  readonly at?: string;
}

/** Paths of nodes begin with their graph's name: of the run itself is what stands there alone. */
function keyOf({ node, path }: ErrorEntry): string {
  return path === node ? "" : node;
}

/** Failures by node, counted, the first kept. */
export class FailureLog {
  #entries: Map<string, ErrorEntry> | null = null;

  static of(entries: readonly ErrorEntry[]): FailureLog {
    const log = new FailureLog();
    if (entries.length > 0) log.#entries = new Map(entries.map((entry) => [keyOf(entry), entry]));
    return log;
  }

  add(failure: Failure, cause?: string): void {
    const { error } = failure;
    this.#entries ??= new Map();
    const known = this.#entries.get(error.node);
    if (known !== undefined) {
      this.#entries.set(error.node, { ...known, count: known.count + 1, handled: known.handled && failure.handled });
      return;
    }
    const { node, path, code, type, message, attempts, causes } = error;
    this.#entries.set(node, {
      node,
      path,
      code,
      type,
      message,
      attempts,
      count: 1,
      handled: failure.handled,
      ...(cause === undefined ? origin(causes, failure.at) : { cause }),
    });
  }

  /** A failure that no node has: under a name that none can have. */
  addOfRun(entry: ErrorEntry): void {
    (this.#entries ??= new Map()).set(keyOf(entry), entry);
  }

  /** There is one. */
  get ofRun(): boolean {
    return this.#entries?.has("") === true;
  }

  /** What another log holds. */
  merge(entries: readonly ErrorEntry[]): void {
    this.#entries ??= new Map();
    for (const entry of entries) {
      const known = this.#entries.get(keyOf(entry));
      const { count, handled } = entry;
      if (known === undefined) this.#entries.set(keyOf(entry), entry);
      else this.#entries.set(keyOf(entry), { ...known, count: known.count + count, handled: known.handled && handled });
    }
  }

  list(): ErrorEntry[] {
    return this.#entries === null ? [] : [...this.#entries.values()];
  }
}

/** An entry that points at another node leaves these to that one. */
function origin(causes: ErrorEntry["causes"], at: Failure["at"]): Pick<ErrorEntry, "causes" | "at"> {
  return { ...(causes !== undefined && { causes }), ...(at !== undefined && { at }) };
}
