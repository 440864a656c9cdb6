import { count } from "../format/number.ts";
import type { NodeProgress } from "./node-progress.ts";

export interface Choice {
  /** In the order they came. */
  readonly shown: readonly NodeProgress[];
  /** What stands for the others, when there are any. */
  readonly note: string | undefined;
}

/** The nodes to look at when not all fit: those at work first, then those with failures, then what ran, then the rest. */
export function chooseNodes(nodes: readonly NodeProgress[], room: number): Choice {
  if (nodes.length <= room) return { shown: nodes, note: undefined };
  const ranked = nodes
    .map((node, index) => ({ node, index, rank: interest(node) }))
    .toSorted((a, b) => b.rank - a.rank || a.index - b.index);
  const shown = ranked.slice(0, Math.max(1, room - 1)).toSorted((a, b) => a.index - b.index);
  const hidden = ranked.slice(shown.length).map((entry) => entry.node);
  const waiting = hidden.filter((node) => node.total === 0).length;
  const parts = [`${count(hidden.length - waiting)} more`, `${count(waiting)} waiting`];
  const note = [hidden.length - waiting > 0 ? parts[0] : "", waiting > 0 ? parts[1] : ""].filter(Boolean).join(", ");
  return { shown: shown.map((entry) => entry.node), note: `and ${note}` };
}

function interest(node: NodeProgress): number {
  if (node.inFlight + node.retrying + node.asked > 0) return 3;
  if (node.failed > 0) return 2;
  return node.total > 0 ? 1 : 0;
}
