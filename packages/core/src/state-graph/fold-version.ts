/**
 * By what functions a turn folds its state: recorded with it, since a turn that did not complete left nothing to compare with. What states
 * a version is told by that, which is in the fingerprint, and its text does not count.
 */
import { sha256Hex } from "../base/sha256.ts";
import type { GraphShape } from "./shape.ts";

const digits = 16;

/** Equal for graphs whose reducers, views, `merge`, `enter` and `leave` have the same text. What such a function closes over is not seen. */
export function foldVersion(shape: GraphShape): string {
  return sha256Hex(JSON.stringify(described(shape))).slice(0, digits);
}

function described({ version, model, nodes }: GraphShape): unknown {
  const text = (part: unknown): readonly string[] => (version === "" ? [String(part)] : []);
  const children = [...nodes.values()].flatMap(({ name, child }) =>
    child === null ? [] : [[name, ...text(child.enter), ...text(child.leave), described(child.program.shape)]],
  );
  return [version === "" ? model.texts : [], children];
}

/** What a graph and its fields state, for people; undefined: nothing. */
export function statedVersion({ version, model }: GraphShape): string | undefined {
  const fields = model.versions.map(([field, stated]) => `${JSON.stringify(stated)} of field ${field}`);
  const all = version === "" ? fields : [JSON.stringify(version), ...fields];
  return all.length === 0 ? undefined : all.join(", ");
}
