import { existsSync, readFileSync } from "node:fs";

/** Invocations by path, each with the name of its node. */
export type Invocations = ReadonlyMap<string, string>;

/** What one process noted in its body log. */
export interface Bodies {
  /** Lines, so that a body that started twice is seen. */
  readonly starts: number;
  readonly started: Invocations;
  readonly ended: Invocations;
  /** Finished before this process, by the journal that it resumed from. */
  readonly journaled: Invocations;
}

export function readBodyLog(file: string): Bodies {
  const text = existsSync(file) ? readFileSync(file, "utf8") : "";
  const lines = text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => line.split(" "));
  const having = (what: string): Map<string, string> =>
    new Map(lines.filter(([first]) => first === what).map(([, node = "", path = ""]) => [path, node]));
  return {
    starts: lines.filter(([what]) => what === "start").length,
    started: having("start"),
    ended: having("end"),
    journaled: having("journaled"),
  };
}

/** Invocations of `all` that are not among `some`. */
export function without(all: Invocations, some: Invocations): Invocations {
  return new Map([...all].filter(([path]) => !some.has(path)));
}

/** How many of each node, in the order in which they first came. */
export function countByNode(invocations: Invocations): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const node of invocations.values()) counts[node] = (counts[node] ?? 0) + 1;
  return counts;
}
