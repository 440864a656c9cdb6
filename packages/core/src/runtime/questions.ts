/** The open questions of a run, and which of them an answer is for. */
import { errorOf, type MillraceError } from "../base/error.ts";
import { doubtTitle, type Interrupt } from "../events/interrupt.ts";
import { openInvocations } from "../state/invocations.ts";
import { nodePath } from "../state/path.ts";
import type { Pending } from "../state/pending.ts";
import type { RunState } from "../state/run-state.ts";
import { isAsked, isInDoubt, payloadOf, questionId } from "../state/unsafe-bodies.ts";
import { invocationKey } from "../state/invocation-key.ts";

/** In the order they were asked. */
export function interruptsOf(run: RunState): Interrupt[] {
  return openQuestions(run).map((pending) => interruptOf(run, pending));
}

function openQuestions(run: RunState): Pending[] {
  return run.end === null ? openInvocations(run).filter(isAsked) : [];
}

/** An id is a hash, and all open ones are looked through for every answer. */
const known = new WeakMap<Pending, Interrupt>();

export function interruptOf(run: RunState, pending: Pending): Interrupt {
  // A body may be in doubt more than once.
  if (isInDoubt(pending)) return describe(run, pending);
  let interrupt = known.get(pending);
  if (interrupt === undefined) known.set(pending, (interrupt = describe(run, pending)));
  return interrupt;
}

function describe(run: RunState, pending: Pending): Interrupt {
  const { context, slot, due } = pending;
  const title = slot.ask === null ? doubtTitle(slot.name) : slot.ask.title;
  return {
    id: questionId(run, pending),
    node: slot.name,
    path: nodePath(run.program.plan, context, slot.id),
    payload: payloadOf(run, pending),
    ...(due === 0 ? {} : { due }),
    ...(title === "" ? {} : { title }),
  };
}

/** The open question with that id. */
export function questionOf(run: RunState, id: string): Pending | undefined {
  return openQuestions(run).find((pending) => interruptOf(run, pending).id === id);
}

/**
 * The question that `which` names by id, path or node.
 *
 * @throws MillraceError `InterruptNotFound`, `AmbiguousInterrupt`
 */
export function findQuestion(run: RunState, which: string): Pending {
  const open = openQuestions(run);
  const asked = open.map((pending) => interruptOf(run, pending));
  if (!asked.some((interrupt) => isCalled(interrupt, which)) && wasWithdrawn(run, which))
    throw errorOf("InterruptNotFound.withdrawn", { which, runId: run.runId });
  return open[asked.indexOf(pickInterrupt(run.runId, asked, which))] as Pending;
}

/** As `findQuestion`, of questions that are told as the outside sees them. */
export function pickInterrupt(runId: string, open: readonly Interrupt[], which: string): Interrupt {
  const matching = open.filter((interrupt) => isCalled(interrupt, which));
  const [first, ...others] = matching;
  if (first === undefined) throw notOpen(runId, which, open);
  if (others.length > 0) throw ambiguous(runId, which, matching);
  return first;
}

function isCalled({ id, node, path }: Interrupt, which: string): boolean {
  return which === id || which === path || which === node;
}

function notOpen(runId: string, which: string, open: readonly Interrupt[]): MillraceError {
  if (open.length === 0) return errorOf("InterruptNotFound.none", { runId, which });
  const asked = open.slice(0, 10).map(({ path }) => path);
  return errorOf("InterruptNotFound", { runId, which, open: asked.join(", ") });
}

function wasWithdrawn(run: RunState, which: string): boolean {
  for (const path of run.withdrawnPaths ?? [])
    if (which === path || which === invocationKey(run.runId, path) || path.endsWith(`/${which}`)) return true;
  return false;
}

function ambiguous(runId: string, which: string, matching: readonly Interrupt[]): MillraceError {
  const ids = matching.slice(0, 10).map(({ id, path }) => `${id} (${path})`);
  return errorOf("AmbiguousInterrupt", { count: matching.length, runId, which, ids: ids.join(", ") });
}
