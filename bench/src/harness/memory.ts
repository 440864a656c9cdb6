/** What things cost that are held alive. */
import { collectAll } from "./garbage.ts";

export interface Held {
  /** Bytes per thing on the heap. */
  readonly heap: number;
  /** Bytes per thing outside of it: buffers, native objects. */
  readonly external: number;
}

/** Makes `count` things, weighs them while they are alive, and hands them over. */
export async function weigh<T>(count: number, make: (index: number) => T): Promise<Held & { things: T[] }> {
  const things = new Array<T>(count);
  await collectAll();
  const before = process.memoryUsage();
  for (let i = 0; i < count; i++) things[i] = make(i);
  await collectAll();
  const after = process.memoryUsage();
  // That they are given back keeps them alive until here.
  return {
    heap: (after.heapUsed - before.heapUsed) / count,
    external: (after.external - before.external) / count,
    things,
  };
}
