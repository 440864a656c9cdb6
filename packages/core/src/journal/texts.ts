/** Records as texts. */
import { RecordKind, type At, type GraphNames } from "../events/record.ts";
import type { Clock } from "../ports/clock.ts";
import type { Event } from "../scheduler/event.ts";
import { addressOf, nodePath } from "../state/path.ts";
import type { Pending } from "../state/pending.ts";
import type { RunEnd, RunState } from "../state/run-state.ts";
import { openInvocationAddresses } from "./addresses.ts";
import { isInDoubt, questionId, unsafeBodyOf } from "../state/unsafe-bodies.ts";

/** Records of what a step decided and withdrew; they follow the record of the event that made it. */
export function takeDecided(run: RunState): string[] {
  const decided = (run.decided ?? []).map(
    ({ slot, owner, choice }) => `[${RecordKind.decision},${slot},${addressText(addressOf(owner))},${choice}]`,
  );
  const withdrawn = (run.withdrawn ?? []).map(
    ({ id, context }) => `[${RecordKind.withdrawn},${id},${addressText(addressOf(context))}]`,
  );
  run.seq += decided.length + withdrawn.length;
  run.decided = null;
  run.withdrawn = null;
  return [...decided, ...withdrawn];
}

/** Records of the items that a step dropped; they follow the record of the event that made it. */
export function takeDropped(run: RunState): string[] {
  const records = (run.dropped ?? []).map(
    ({ slot, owner, index }) => `[${RecordKind.dropped},${slot},${addressText(addressOf(owner))},${index}]`,
  );
  run.seq += records.length;
  run.dropped = null;
  return records;
}

export function addressText(at: At): string {
  return at === 0 ? "0" : `[${at.join(",")}]`;
}

function whereOf({ kind }: Event, { slot, context }: Pending): string {
  return `${kind},${slot.id},${addressText(addressOf(context))}`;
}

/** `clock`: for what the event itself tells no time of. */
export function invocationText(
  run: RunState,
  event: Event,
  pending: Pending,
  encoded: string,
  clock: Pick<Clock, "now">,
): string {
  const { kind } = event;
  const where = whereOf(event, pending);
  if (kind === RecordKind.fired || (kind === RecordKind.eof && encoded === "")) return `[${where}]`;
  if (kind === RecordKind.timerSet || kind === RecordKind.deadlineSet) return `[${where},${event.retryAt}]`;
  if (kind === RecordKind.unsafeStart) return `[${where},${pending.attempt},${event.retryAt}]`;
  if (kind === RecordKind.asked) return askedText(run, event, pending, encoded, toldAt(event, clock));
  if (kind === RecordKind.answered)
    return `[${where},${JSON.stringify(event.reason)},${encoded},${toldAt(event, clock)}]`;
  if (kind !== RecordKind.attemptFailed) return `[${where},${encoded}]`;
  const attempt = event.retryAt === null ? pending.attempt : pending.attempt - 1;
  return `[${where},${attempt},${event.retryAt},${encoded}]`;
}

export function stoppedText({ kind, error }: Event): string {
  return `[${kind},${JSON.stringify(error?.code)},${JSON.stringify(error?.message)}]`;
}

/** `change`: the graph that it goes on with, if that is another. */
export function resumedText(
  run: RunState,
  {
    epoch,
    change,
    crashed,
  }: { readonly epoch: number; readonly change: GraphNames | undefined; readonly crashed: number },
): string {
  const graph = change === undefined ? "0" : JSON.stringify(change);
  return `[${RecordKind.resumed},${epoch},${openInvocationAddresses(run)},${graph},${crashed}]`;
}

/** `output`: fields of the record, of a run that completed. */
export function endedText({ status, errors, reason }: RunEnd, output: string, at: number): string {
  const rest = JSON.stringify({ status, errors, ...(reason === "" ? {} : { reason }), at });
  return `[${RecordKind.ended},${rest.slice(0, -1)}${output}}]`;
}

export function restText(run: RunState, status: "drained" | "interrupted", wake: number | null, at: number): string {
  const errors = run.failures?.list() ?? [];
  return `[${RecordKind.ended},${JSON.stringify({ status, errors, ...(wake === null ? {} : { wake }), at })}]`;
}

function toldAt({ at }: Event, clock: Pick<Clock, "now">): number {
  return at ?? clock.now();
}

/** A question about a body in doubt has a number besides. */
function askedText(run: RunState, event: Event, pending: Pending, payload: string, at: number): string {
  const title = pending.slot.ask?.title ?? "";
  const path = JSON.stringify(nodePath(run.program.plan, pending.context, pending.id));
  const doubt = isInDoubt(pending) ? `,0,${unsafeBodyOf(run, pending)?.asked}` : "";
  const told = title === "" ? doubt : `,${JSON.stringify(title)}`;
  const named = run.knownAs === null ? told : withId(told, questionId(run, pending));
  return `[${whereOf(event, pending)},${event.retryAt},${payload},${path},${at}${named}]`;
}

/** Behind title and number, which must be there then. */
function withId(told: string, id: string): string {
  const places = told === "" ? ",0,0" : told.startsWith(",0,") ? told : `${told},0`;
  return `${places},${JSON.stringify(id)}`;
}
