/**
 * Items that are through but whose value is not where it goes: on the way into another stream (T1), or behind an earlier
 * one in a fold (C4). They stay open, so that the credit of their stream bounds how many there are.
 */
import type { Context } from "../state/context.ts";
import { doneWith } from "./queue.ts";

/** Not one that is taken out of the run: nothing keeps that. */
export function hold(item: Context): void {
  if (item.closed || item.abandoned) return;
  item.holds++;
  item.open++;
}

/** Its value got there, or never will. One that was swept or dropped meanwhile is held by nothing any more. */
export function letGo(item: Context): void {
  if (item.closed || item.abandoned) return;
  item.holds--;
  doneWith(item);
}
