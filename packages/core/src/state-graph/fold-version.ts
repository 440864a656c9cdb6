/** By what functions a turn folds its state: recorded with it, since a turn that did not complete left nothing to compare with. */
import { sha256Hex } from "../base/sha256.ts";
import type { GraphShape } from "./shape.ts";

const digits = 16;

/** Equal for graphs whose reducers, views, `merge`, `enter` and `leave` have the same text. What such a function closes over is not seen. */
export function foldVersion(shape: GraphShape): string {
  return sha256Hex(JSON.stringify(described(shape))).slice(0, digits);
}

function described({ model, nodes }: GraphShape): unknown {
  const children = [...nodes.values()].flatMap(({ name, child }) =>
    child === null ? [] : [[name, String(child.enter), String(child.leave), described(child.program.shape)]],
  );
  return [model.texts, children];
}
