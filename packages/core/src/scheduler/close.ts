/** Contexts close when their work ended (K1), and give their credit back. */
import type { Context } from "../state/context.ts";
import type { RunState } from "../state/run-state.ts";
import { work } from "../state/work.ts";
import { retireItem } from "../state/stream.ts";
import { refill } from "./policies/credit.ts";
import { closeStreamIfDone } from "./streams.ts";

const freed: never[] = [];

/** Closes the context whose work ended last, if it still has none; false when there is no candidate left. */
export function closeFinished(run: RunState): boolean {
  const context = work.closing.pop();
  if (context === undefined) return false;
  if (context.open === 0 && !context.closed) close(run, context);
  return true;
}

function close(run: RunState, context: Context): void {
  const { stream } = context;
  if (stream === null) {
    context.closed = true;
    return;
  }
  retireItem(stream, context);
  context.states = freed;
  context.values = freed;
  context.streams = null;
  refill(run, stream);
  closeStreamIfDone(stream);
}
