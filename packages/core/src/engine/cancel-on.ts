import { textOf } from "../base/causes.ts";
import type { LiveRun } from "./live-run.ts";

/** One listener for the run, removed when it ends. */
export function cancelOn(signal: AbortSignal, run: LiveRun): void {
  const cancel = (): void => {
    const reason: unknown = signal.reason;
    run.cancel(reason instanceof Error ? reason.message : textOf(reason), reason).catch(() => undefined);
  };
  signal.addEventListener("abort", cancel, { once: true });
  run.onEnd(() => signal.removeEventListener("abort", cancel));
  if (signal.aborted) cancel();
}
