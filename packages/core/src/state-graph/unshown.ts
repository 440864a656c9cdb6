/** States whose view throws: who goes on from one need not see it, and so can mend it. */
import { errorOf, MillraceError } from "../base/error.ts";
import type { Checkpoint, InnerCheckpoint } from "./checkpoint.ts";
import type { StateModel } from "./state-def.ts";

/** Stands where the state would. */
class Unshown {
  readonly error: MillraceError;

  constructor(error: MillraceError) {
    this.error = error;
  }
}

export function viewOrWhy(model: StateModel, state: unknown): unknown {
  try {
    return model.view(state);
  } catch (error) {
    if (error instanceof MillraceError) return new Unshown(error);
    throw error;
  }
}

/** For whoever looks at it. @throws MillraceError `ReducerThrew` with thread, node and field */
export function shownOrThrown(checkpoint: Checkpoint): Checkpoint {
  const { error } = unshownIn(checkpoint) ?? {};
  if (error === undefined) return checkpoint;
  const { thread, id, writes } = checkpoint;
  const node = writes.map((one) => one.node).join(", ");
  const [message = ""] = error.message.split("\n  hint: ");
  throw errorOf("ReducerThrew.checkpoint", { thread, id, node: node === "" ? "its turn began" : node, message }, error);
}

function unshownIn({ state, inner }: InnerCheckpoint): Unshown | undefined {
  if (state instanceof Unshown) return state;
  return inner.flatMap(({ checkpoints }) => checkpoints.map(unshownIn)).find((one) => one !== undefined);
}
