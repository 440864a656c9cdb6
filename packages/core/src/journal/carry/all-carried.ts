import type { CarriedRow } from "../../ports/thread.ts";
import type { CarriedSource } from "./carry.ts";

/** All rows of a thread, or those up to `upTo`. `carried` gives them from the last whole one on: the others are asked for. */
export async function allCarried(backend: CarriedSource, thread: string, upTo?: number): Promise<CarriedRow[]> {
  let rows = await backend.carried(thread, upTo);
  for (let first = rows[0]; first !== undefined && first.n > 1; first = rows[0])
    rows = [...(await backend.carried(thread, first.n - 1)), ...rows];
  return rows;
}
