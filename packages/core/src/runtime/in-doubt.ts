/**
 * Bodies of unsafe ops (U1, U2 in scheduler/in-doubt.ts): the start of one is durable before it begins, and one that was
 * under way in a process that is gone is asked about.
 */
import { errorOf } from "../base/error.ts";
import { deepFreeze } from "../base/freeze.ts";
import type { SlotPlan } from "../model/plan.ts";
import type { SchemaResult, StandardSchemaV1 } from "../model/standard-schema.ts";
import { asPromise } from "../base/thenable.ts";
import { askedEvent, unsafeStartEvent } from "../scheduler/event.ts";
import { Todo, type Pending } from "../state/pending.ts";
import { isInDoubt, unsafeBodyOf } from "../state/unsafe-bodies.ts";
import { isWanted, notWanted } from "./body.ts";
import { reportFailure } from "./failure.ts";
import { whileLeased } from "./lease.ts";
import type { Runner } from "./runner.ts";

/** U1, in whatever durability. The attempt may be over by then, before its body began. */
export async function afterStart<T>(runner: Runner, pending: Pending, body: () => T): Promise<Awaited<T>> {
  const { attempt } = pending;
  if (!isWanted(runner, pending, attempt)) throw notWanted();
  runner.feed(unsafeStartEvent(pending, runner.host.clock.now()));
  const durable = runner.acknowledged();
  // What else begins in this turn goes into the same commit.
  await Promise.resolve();
  runner.pump();
  await durable;
  return await whileLeased(runner, () => {
    if (!isWanted(runner, pending, attempt)) throw notWanted();
    return body();
  });
}

/** It was under way in a process that is gone, and may have had its effect. */
export function mayHaveBegun({ state }: Runner, pending: Pending, now: number): boolean {
  const { slot, attempt, todo, due, seq } = pending;
  if (slot.op?.effect !== "unsafe" || isInDoubt(pending)) return false;
  if (unsafeBodyOf(state, pending)?.attempt === attempt) return true;
  return seq <= state.unrecordedStarts && !(todo === Todo.retry && due > now);
}

/** U2. There is nothing to ask about what nobody waits for any more. */
export function settleInDoubt(runner: Runner, pending: Pending): void {
  if (pending.context.abandoned) refuseSecondRun(runner, pending);
  else ask(runner, pending);
}

/** Also of a stream that was cut in the middle: nobody could say what its rest is. */
export function refuseSecondRun(runner: Runner, pending: Pending): void {
  reportFailure(runner, pending, errorOf("UnsafeInFlight", { node: pending.slot.name }));
}

function ask(runner: Runner, pending: Pending): void {
  const { slot, attempt } = pending;
  const startedAt = unsafeBodyOf(runner.state, pending)?.startedAt ?? 0;
  const told = {
    reason: `"${slot.name}" was at work when its process ended, and may have had its effect`,
    attempt,
    ...(startedAt === 0 ? {} : { startedAt }),
  };
  const { payload, encoded } = withInput(runner, pending, told);
  runner.feed(askedEvent(pending, null, { payload }), encoded);
  awaitVerdict(runner, pending);
}

/** Its answer may come at any time, also before the question is durable: so it is in no queue meanwhile. */
export function awaitVerdict(runner: Runner, pending: Pending): void {
  runner.waits.add(pending, null, () => undefined);
}

/** What an edge made for the body alone may be no data. */
function withInput(runner: Runner, { input }: Pending, told: object): { payload: unknown; encoded: string } {
  const { recorder } = runner;
  const all = { ...told, input };
  if (recorder === null) return { payload: all, encoded: "" };
  let encoded: string;
  try {
    encoded = recorder.encode(all, "payload");
  } catch {
    return { payload: Object.freeze(told), encoded: recorder.encode(told, "payload") };
  }
  deepFreeze(all);
  return { payload: all, encoded };
}

/** What an answer to the question of that node must be. */
export function answerSchemaOf(slot: SlotPlan): StandardSchemaV1 {
  return slot.ask === null ? verdictSchema(slot) : slot.ask.answer;
}

/** `{ output }`, which passes the op's own schema as an output does, `{ rerun: true }` or `{ fail: "why" }`. */
function verdictSchema(slot: SlotPlan): StandardSchemaV1 {
  const isStream = slot.stream >= 0;
  const known = isStream
    ? '{ "rerun": true } or { "fail": "why" }'
    : '{ "output": … }, { "rerun": true } or { "fail": "why" }';
  const wrong = { issues: [{ message: `what became of "${slot.name}" is said as ${known}` }] };
  return {
    "~standard": {
      version: 1,
      vendor: "millrace",
      validate: (said) => {
        if (typeof said !== "object" || said === null || Object.keys(said).length !== 1) return wrong;
        const { output, rerun, fail } = said as Readonly<Record<string, unknown>>;
        if (rerun === true) return { value: { rerun } };
        if (typeof fail === "string") return { value: { fail } };
        return "output" in said && !isStream ? validOutput(slot, output) : wrong;
      },
    },
  };
}

function validOutput({ op }: SlotPlan, output: unknown): SchemaResult<unknown> | Promise<SchemaResult<unknown>> {
  const schema = op?.output ?? null;
  if (schema === null) return { value: { output } };
  const result = schema["~standard"].validate(output);
  const later = asPromise(result);
  return later === null
    ? asVerdict(result as SchemaResult<unknown>)
    : later.then((settled) => asVerdict(settled as SchemaResult<unknown>));
}

function asVerdict(result: SchemaResult<unknown>): SchemaResult<unknown> {
  if (result.issues === undefined) return { value: { output: result.value } };
  return { issues: result.issues.map((issue) => ({ ...issue, path: ["output", ...(issue.path ?? [])] })) };
}
