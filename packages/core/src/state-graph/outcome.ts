/** Turns that fail though none of their tasks did. */
import { errorOf, type MillraceError } from "../base/error.ts";
import type { Board } from "./board-data.ts";
import type { GraphShape } from "./shape.ts";

export function isRefused({ stop }: Board): boolean {
  return stop === "limit" || stop === "starved";
}

/** `StepLimit`, `JoinStarved` */
export function refusal(shape: GraphShape, { stop, works, seen, limit }: Board): MillraceError {
  if (stop === "limit") {
    const next = [...new Set(works.map(({ node }) => node))].join(", ");
    return errorOf("StepLimit", { graph: shape.name, limit, next });
  }
  const [[at, ran]] = Object.entries(seen) as [[string, readonly string[]]];
  const { from, to } = shape.joins[Number(at)]!;
  const missing = from.filter((name) => !ran.includes(name)).join(", ");
  const all = missing === "" ? "the others in the same superstep" : missing;
  return errorOf("JoinStarved", { graph: shape.name, node: to, missing: all, seen: ran.join(", ") });
}
