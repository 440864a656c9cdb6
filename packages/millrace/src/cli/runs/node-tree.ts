import type { NodeCounts } from "./node-counts.ts";

export interface TreeLine {
  /** Indented last segment of the scoped name. */
  readonly label: string;
  /** Undefined for a block that only holds others. */
  readonly counts: NodeCounts | undefined;
}

interface Branch {
  readonly name: string;
  counts: NodeCounts | undefined;
  readonly children: Map<string, Branch>;
}

/** Scoped names (`fast/summarise`) as an indented tree, in the order in which they come. */
export function nodeTree(nodes: readonly NodeCounts[]): TreeLine[] {
  const root: Branch = { name: "", counts: undefined, children: new Map() };
  for (const counts of nodes) {
    let at = root;
    for (const name of counts.node.split("/")) {
      let child = at.children.get(name);
      if (child === undefined) at.children.set(name, (child = { name, counts: undefined, children: new Map() }));
      at = child;
    }
    at.counts = counts;
  }
  return lines(root, "");
}

function lines(branch: Branch, prefix: string): TreeLine[] {
  return [...branch.children.values()].flatMap((child) => [
    { label: prefix + child.name, counts: child.counts },
    ...lines(child, `${prefix}  `),
  ]);
}
