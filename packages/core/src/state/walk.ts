import type { Context } from "./context.ts";

/** The open contexts of a run, outermost first, items in yield order. */
export function* openContexts(context: Context): Generator<Context> {
  yield context;
  for (const stream of context.streams ?? []) {
    for (let item = stream.first; item !== null; item = item.next) yield* openContexts(item);
  }
}
