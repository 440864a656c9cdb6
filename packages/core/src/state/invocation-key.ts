import { sha256Hex } from "../base/sha256.ts";

/** Names one invocation: the same over attempts and crashes, different for other runs, nodes and items. */
export function invocationKey(runId: string, path: string): string {
  return sha256Hex(`${runId}\n${path}`).slice(0, 32);
}
