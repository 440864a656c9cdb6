/** The open questions of a run, and which of them an answer is for. */
import { errorOf, type MillraceError } from "../base/error.ts";
import type { Interrupt } from "../events/interrupt.ts";
import type { AskPlan } from "../model/plan.ts";
import { openInvocations } from "../state/invocations.ts";
import { nodePath } from "../state/path.ts";
import { Todo, type Pending } from "../state/pending.ts";
import type { RunState } from "../state/run-state.ts";
import { invocationKey } from "../state/invocation-key.ts";

/** In the order they were asked. */
export function interruptsOf(run: RunState): Interrupt[] {
  return openQuestions(run).map((pending) => interruptOf(run, pending));
}

function openQuestions(run: RunState): Pending[] {
  return run.end === null
    ? openInvocations(run).filter(({ slot, todo }) => slot.ask !== null && todo === Todo.wait)
    : [];
}

/** An id is a hash, and all open ones are looked through for every answer. */
const known = new WeakMap<Pending, Interrupt>();

function interruptOf(run: RunState, pending: Pending): Interrupt {
  let interrupt = known.get(pending);
  if (interrupt === undefined) known.set(pending, (interrupt = describe(run, pending)));
  return interrupt;
}

function describe(run: RunState, { context, slot, input, due }: Pending): Interrupt {
  const path = nodePath(run.program.plan, context, slot.id);
  const { title } = slot.ask as AskPlan;
  return {
    id: invocationKey(run.runId, path),
    node: slot.name,
    path,
    payload: input,
    ...(due === 0 ? {} : { due }),
    ...(title === "" ? {} : { title }),
  };
}

/**
 * The question that `which` names by id, path or node.
 *
 * @throws MillraceError `InterruptNotFound`, `AmbiguousInterrupt`
 */
export function findQuestion(run: RunState, which: string): Pending {
  const open = openQuestions(run);
  const matching = open.filter((pending) => {
    const { id, node, path } = interruptOf(run, pending);
    return which === id || which === path || which === node;
  });
  const [first, ...others] = matching;
  if (first === undefined) throw notOpen(run, which, open);
  if (others.length > 0) throw ambiguous(run, which, matching);
  return first;
}

function notOpen(run: RunState, which: string, open: readonly Pending[]): MillraceError {
  if (wasWithdrawn(run, which)) return errorOf("InterruptNotFound.withdrawn", { which, runId: run.runId });
  const asked = open.map((pending) => interruptOf(run, pending).path);
  const { runId } = run;
  if (asked.length === 0) return errorOf("InterruptNotFound.none", { runId, which });
  return errorOf("InterruptNotFound", { runId, which, open: asked.slice(0, 10).join(", ") });
}

function wasWithdrawn(run: RunState, which: string): boolean {
  for (const path of run.withdrawnPaths ?? [])
    if (which === path || which === invocationKey(run.runId, path) || path.endsWith(`/${which}`)) return true;
  return false;
}

function ambiguous(run: RunState, which: string, matching: readonly Pending[]): MillraceError {
  const ids = matching.map((pending) => interruptOf(run, pending)).map(({ id, path }) => `${id} (${path})`);
  const { length: count } = matching;
  return errorOf("AmbiguousInterrupt", { count, runId: run.runId, which, ids: ids.slice(0, 10).join(", ") });
}
