/** What of a state graph makes checkpoints what they are, beside what its plan says: part of its fingerprint. */
import { sha256Hex } from "../base/sha256.ts";
import type { GraphShape, NodeShape } from "./shape.ts";

/** Equal for graphs that make the same of the same tasks, as far as can be told without running their functions. */
export function shapeVersion(shape: GraphShape): string {
  return sha256Hex(JSON.stringify(described(shape)));
}

function described({ version, model, nodes, edges, joins, branches, pauseBefore, pauseAfter }: GraphShape): unknown {
  return {
    fields: model.fields?.toSorted() ?? null,
    nodes: [...nodes.values()].map(describedNode),
    edges: [...edges],
    joins,
    branches: [...branches.values()].flat().map(({ from, targets }) => [from, targets]),
    pauseBefore: [...pauseBefore].toSorted(),
    pauseAfter: [...pauseAfter].toSorted(),
    ...(version !== "" && { version }),
    ...(model.versions.length > 0 && { versions: model.versions.toSorted(([a], [b]) => (a < b ? -1 : 1)) }),
  };
}

function describedNode({ name, routed, options, child }: NodeShape): unknown {
  return [name, options.defer === true, routed, child === null ? null : described(child.program.shape)];
}
