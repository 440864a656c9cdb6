/**
 * What is known of the bodies of unsafe ops. One whose start is recorded and whose end is not, in a process that is gone,
 * is **in doubt**: it may have had its effect. The outside is asked what became of it, as often as that happens.
 */
import { SlotKind } from "../model/plan.ts";
import { identityPath, invocationKey } from "./invocation-key.ts";
import { Todo, type Pending } from "./pending.ts";
import type { RunState } from "./run-state.ts";

export interface UnsafeBody {
  /** The attempt whose start is recorded; 0: none, or it is to run again. */
  attempt: number;
  /** When that was, in milliseconds since 1970; 0: unknown. */
  startedAt: number;
  /** How often it was asked about. */
  asked: number;
  /** What the open question tells. */
  payload: unknown;
}

export function unsafeBodyOf(run: RunState, pending: Pending): UnsafeBody | undefined {
  return run.unsafeBodies?.get(pending);
}

/** The same; made when there is something to note. */
export function noteUnsafeBody(run: RunState, pending: Pending): UnsafeBody {
  run.unsafeBodies ??= new WeakMap();
  let body = run.unsafeBodies.get(pending);
  if (body === undefined) run.unsafeBodies.set(pending, (body = newBody()));
  return body;
}

function newBody(): UnsafeBody {
  return { attempt: 0, startedAt: 0, asked: 0, payload: undefined };
}

/** The outside is asked, and has not answered: by a question of the graph, or what became of a body in doubt. */
export function isAsked({ todo, slot }: Pending): boolean {
  return todo === Todo.wait && (slot.ask !== null || slot.kind === SlotKind.op);
}

export function isInDoubt({ todo, slot }: Pending): boolean {
  return todo === Todo.wait && slot.kind === SlotKind.op;
}

/** What whoever answers is told. */
export function payloadOf(run: RunState, pending: Pending): unknown {
  return isInDoubt(pending) ? unsafeBodyOf(run, pending)?.payload : pending.input;
}

/** Names one question. The same body may be in doubt more than once, and each time that is another question. */
export function questionId(run: RunState, pending: Pending): string {
  const path = identityPath(run, pending);
  return doubtId(run.runId, path, isInDoubt(pending) ? (unsafeBodyOf(run, pending)?.asked ?? 0) : 0);
}

/** `asked`: how often the node was in doubt; 0: it is a question of the graph. */
export function doubtId(runId: string, path: string, asked: number): string {
  return invocationKey(runId, asked === 0 ? path : `${path}?${asked}`);
}
