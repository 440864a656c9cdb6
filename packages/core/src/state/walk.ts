import type { Context } from "./context.ts";

/** The open contexts of a run, outermost first, items in yield order, then those of blocks. */
export function* openContexts(context: Context): Generator<Context> {
  yield context;
  for (const stream of context.streams ?? []) {
    for (let item = stream.first; item !== null; item = item.next) yield* openContexts(item);
  }
  for (const block of context.blocks ?? []) for (const child of block.children) yield* openContexts(child);
}
