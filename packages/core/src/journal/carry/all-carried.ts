import type { CarriedRow } from "../../ports/thread.ts";
import type { CarriedSource } from "./carry.ts";

/** All rows of a thread that are there, or those up to `upTo`. `carried` gives them from the last whole one on: the others are asked for. */
export async function allCarried(backend: CarriedSource, thread: string, upTo?: number): Promise<CarriedRow[]> {
  let rows = await backend.carried(thread, upTo);
  for (let first = rows[0]; first !== undefined && first.n > 1; first = rows[0]) {
    const earlier = await backend.carried(thread, first.n - 1);
    // What no run is read from was pruned.
    if (earlier.length === 0) break;
    rows = [...earlier, ...rows];
  }
  return rows;
}
