import { systemSha256 } from "../ports/system.ts";

/** Names one invocation: the same over attempts and crashes, different for other runs, nodes and items. */
export function invocationKey(runId: string, path: string): string {
  return systemSha256(`${runId}\n${path}`).slice(0, 32);
}
