import { systemSha256 } from "../ports/system.ts";
import { addressOf, filledPath, nodePath } from "./path.ts";
import type { Pending } from "./pending.ts";
import type { RunState } from "./run-state.ts";

/** Names one invocation: the same over attempts and crashes, different for other runs, nodes and items. */
export function invocationKey(runId: string, path: string): string {
  return systemSha256(`${runId}\n${path}`).slice(0, 32);
}

/** The path that keys and ids are made of: of a run that was brought to another graph it may be one of the graph before. */
export function identityPath(run: RunState, { context, id }: Pending): string {
  const known = run.knownAs?.get(id);
  return known === undefined ? nodePath(run.program.plan, context, id) : filledPath(known, addressOf(context));
}
