import type { NodeProgress } from "./node-progress.ts";
export interface Choice {
  /** In the order they came. */
  readonly shown: readonly NodeProgress[];
  /** What stands for the others, when there are any. */
  readonly note: string | undefined;
}
/** The nodes to look at when not all fit: those at work first, then those with failures, then what ran, then the rest. */
export declare function chooseNodes(nodes: readonly NodeProgress[], room: number): Choice;
