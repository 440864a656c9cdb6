import type { Builder } from "./builder.ts";

/** Every slot that has resolved, in all contexts it can be seen in, before the slots of `from` can. `from` included. */
export function reach(builder: Builder, from: Iterable<number>): Set<number> {
  const seen = new Set<number>();
  const open = [...from];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (seen.has(at)) continue;
    seen.add(at);
    const slot = builder.slots[at]!;
    for (const dependency of slot.dependencies) open.push(dependency.slot);
    if (slot.collect !== null) open.push(slot.collect.watch);
    const { stream } = builder.scopes[slot.scope]!;
    if (stream >= 0) open.push(builder.streams[stream]!.source);
  }
  return seen;
}
