import { setImmediate as nextTurn } from "node:timers/promises";

type Collect = (options?: { readonly type: "minor" | "major" }) => void;

/** There with `node --expose-gc` only. */
function collector(): Collect {
  const { gc } = globalThis as { gc?: Collect };
  if (gc === undefined) throw new Error("start node with --expose-gc: figures collect garbage between repeats");
  return gc;
}

/** Empties the nursery, so that nobody pays for what the one before left. */
export async function collectYoung(): Promise<void> {
  await nextTurn();
  collector()({ type: "minor" });
}

/** Until nothing that is dead is left, also what finalizers and other threads held. */
export async function collectAll(): Promise<void> {
  for (let i = 0; i < 3; i++) {
    await nextTurn();
    collector()({ type: "major" });
  }
}
