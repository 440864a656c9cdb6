import { defaultLimits, JournalGuard, type JournalLimits } from "../journal/limits.ts";
import type { Rebuilt } from "../journal/rebuild.ts";
import type { SnapshotPolicy } from "../journal/snapshot/snapshots.ts";
import { JournalWriter } from "../journal/writer.ts";
import type { WriterPosition } from "../journal/writer-position.ts";
import type { Backend, RunRow } from "../ports/backend.ts";
import type { Host } from "../runtime/host.ts";
import type { EngineOptions, RunOptions } from "./api.ts";
import { LeaseWaits } from "./lease-waits.ts";
import type { LiveRun } from "./live-run.ts";
import { continuation } from "./rebuild-live.ts";
import { snapshotPolicy } from "./snapshot-options.ts";
import { noBackend } from "./run-errors.ts";

/** Gives runs their writers, and remembers whose journal it has warned of (L1). */
export class Journals {
  readonly #host: Pick<Host, "clock" | "warn">;
  readonly #limits: JournalLimits;
  readonly #snapshots: SnapshotPolicy | undefined;
  readonly #exit: boolean;
  readonly #warned: Set<string> = new Set();
  readonly #leaseWaits: LeaseWaits;

  constructor(host: Pick<Host, "clock" | "warn">, { journalLimits, snapshots, durability }: EngineOptions) {
    this.#exit = durability === "exit";
    this.#snapshots = snapshotPolicy(snapshots);
    this.#host = host;
    this.#leaseWaits = new LeaseWaits(host.clock);
    this.#limits = { ...defaultLimits, ...given(journalLimits) };
  }

  write(backend: Backend, run: LiveRun, at: Omit<WriterPosition, "runId" | "snapshots" | "exit" | "alive">): void {
    const { runId, graph, runner } = run;
    run.epoch = at.epoch;
    const warn = (text: string): void => {
      this.#warned.add(runId);
      this.#host.warn(`millrace: the journal of run ${runId} of "${graph}" ${text}`);
    };
    const { clock } = this.#host;
    const own = { ...this.#limits, ...at.limits };
    const guard = new JournalGuard(at.size, own, this.#warned.has(runId) ? null : warn);
    const again = (): void => runner.onDurable();
    const alive = (): boolean => this.#leaseWaits.alive(backend, again);
    const position = { runId, snapshots: this.#snapshots, exit: this.#exit, alive, ...at };
    runner.recorder = new JournalWriter(backend, clock, position, guard, runner);
  }

  /** Behind what it was rebuilt from. */
  goOn(backend: Backend, run: LiveRun, { epoch, lastSeq: seq, chain }: RunRow, rebuilt: Rebuilt): void {
    this.write(backend, run, { epoch, seq, chain, ...continuation(rebuilt) });
  }

  /** The engine is closed. */
  close(): void {
    this.#leaseWaits.close();
  }

  /** The run ended. */
  forget(runId: string): void {
    this.#warned.delete(runId);
  }
}

/** What a run wants. */
export function limitsOf({ journalLimits }: RunOptions, backend: Backend | null): Partial<JournalLimits> | null {
  if (journalLimits === undefined) return null;
  if (backend === null) throw noBackend("journalLimits");
  return given(journalLimits);
}

/** Those that are set. */
export function given(limits: Partial<JournalLimits> = {}): Partial<JournalLimits> {
  return Object.fromEntries(Object.entries(limits).filter(([, limit]) => limit !== undefined));
}
