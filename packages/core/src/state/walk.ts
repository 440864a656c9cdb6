import type { Context } from "./context.ts";

/** The open contexts of a run, outermost first, items in yield order, then those of blocks; `found` and what is in `context`. */
export function openContexts(context: Context, found: Context[] = []): Context[] {
  found.push(context);
  for (const stream of context.streams ?? []) {
    for (let item = stream.first; item !== null; item = item.next) openContexts(item, found);
  }
  for (const block of context.blocks ?? []) for (const child of block.children) openContexts(child, found);
  return found;
}
