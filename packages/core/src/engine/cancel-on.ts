import { textOf } from "../base/causes.ts";
import type { Engine } from "./api.ts";
import type { LiveRun } from "./live-run.ts";

/**
 * One listener for the run, removed when it ends, wherever that is. A signal may live as long as the process: it keeps
 * nothing of a run that was put aside.
 *
 * @param engine cancels a run that was put aside and whose handle nobody holds.
 */
export function cancelOn(signal: AbortSignal, run: LiveRun, engine: Pick<Engine, "cancel">): void {
  const held = new WeakRef(run);
  // Without a backend it is never put aside, and making an id nobody asks for costs as much as a short run.
  const runId = run.backend === null ? "" : run.runId;
  const cancel = (): void => {
    const cause: unknown = signal.reason;
    const reason = cause instanceof Error ? cause.message : textOf(cause);
    const cancelled = held.deref()?.cancel(reason, cause) ?? engine.cancel(runId, reason);
    cancelled.catch(() => undefined);
  };
  signal.addEventListener("abort", cancel, { once: true });
  run.whenOver(() => signal.removeEventListener("abort", cancel));
  if (signal.aborted) cancel();
}
