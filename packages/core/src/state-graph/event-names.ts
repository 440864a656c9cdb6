/** Where in a state graph something happened, by the scoped name of its node in the plan (`program.ts` gives them). */
import type { GraphShape, Program } from "./shape.ts";

export interface EventPlace {
  /** The graph that it happened in. */
  readonly shape: GraphShape;
  /** The nodes around, from the outermost inward, that are state graphs. */
  readonly within: readonly string[];
  /** Null: it is of the superstep. */
  readonly node: string | null;
  /** What of it: `body`, `asks/q_/then/q`, `superstep`; of the superstep `board`, `node`, `branch`. */
  readonly part: string;
}

const SUPERSTEP = "superstep";

/** Undefined: it is around the supersteps. */
export function eventPlace({ shape }: Program, name: string): EventPlace | undefined {
  const [first, ...rest] = name.split("/");
  return first === SUPERSTEP && rest.length > 0 ? placeIn(shape, [], rest) : undefined;
}

function placeIn(shape: GraphShape, within: readonly string[], [first, ...rest]: readonly string[]): EventPlace {
  const [node, second, ...inner] = rest;
  if (first !== "node" || node === undefined) return { shape, within, node: null, part: [first, ...rest].join("/") };
  const child = shape.nodes.get(node)?.child ?? null;
  if (child !== null && second === SUPERSTEP && inner.length > 0)
    return placeIn(child.program.shape, [...within, node], inner);
  return { shape, within, node, part: [second, ...inner].join("/") };
}

/** The task that a node of it belongs to: `agent/superstep#1/task[0]/node/think` of `…/think/body`. */
export function taskPath(path: string, { node, part }: EventPlace): string {
  const length = node === null ? 0 : part.split("/").length;
  const segments = path.split("/");
  return segments.slice(0, segments.length - length).join("/");
}
