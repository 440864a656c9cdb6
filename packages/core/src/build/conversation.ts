/** The wiring of a workflow: its body yields calls, each goes to the arm of its name, and what comes of it goes back. */
import { SlotKind } from "../model/plan.ts";
import { GIVEN_UP, type Conversation, type Listener } from "../model/conversation.ts";
import type { OpSpec } from "../model/op-spec.ts";
import type { Ref, RefOf } from "../model/ref.ts";
import type { Item, Scope } from "../model/scope.ts";
import { routeBeside } from "./blocks/choose.ts";
import { frameFor, type Builder, type DraftSlot, type Frame } from "./builder.ts";
import { addOpSlot, gatherInput } from "./call.ts";
import { addDelivery, oneSlot } from "./collectors.ts";
import { gather } from "./gather.ts";
import { takeName } from "./names.ts";
import { mergePolicies } from "./policies.ts";
import { infoOf, makeRef } from "./ref.ts";
import { collectedResult, resultOf } from "./result.ts";
import { streamAround } from "./scopes.ts";
import { addSlot } from "./slots.ts";
import { openStream, slotRef } from "./streams.ts";

/** What the nodes that every workflow has are called. */
export const BODY_NAME = "body";
export const CALL_NAME = "call";

/** What a body has called stays open however much it is: a body that waited for credit could not be told anything. */
const BOUNDLESS = 1_000_000_000;

export interface Talker {
  readonly workflow: string;
  readonly version: string;
  /** Given `{ input }`. */
  readonly begin: (given: { readonly input: unknown }, listener: Listener) => Conversation;
  /** By what the body calls it: what is done with the input of such a call. */
  readonly arms: Readonly<Record<string, (input: Ref<never, Item>) => unknown>>;
}

/** What the body returns, once nothing of the workflow goes on any more. For use in a graph's body. */
export function converse({ workflow, version, begin, arms }: Talker, input: unknown): unknown {
  const frame = frameFor(`workflow ${workflow}`);
  const { builder } = frame;
  const name = takeName(frame, `the body of workflow ${workflow}`, BODY_NAME);
  const definition = {
    type: "op" as const,
    name: workflow,
    spec: specOf(workflow, version, begin),
    policies: mergePolicies(`workflow ${workflow}`, {}, {}),
    plan: null,
  };
  const body = addOpSlot(frame, definition, name, gatherInput(frame, { input }, name), {});
  const item = openStream(frame, body, name, true, null) as Ref<{ call: string; input: never }, Item>;
  builder.streams[body.stream]!.buffer = BOUNDLESS;
  const closures = Object.entries(arms).map(([key, arm]) => [key, () => collected(arm(item.input))] as const);
  const came = routeBeside(CALL_NAME, item.call, Object.fromEntries(closures), GIVEN_UP) as RefOf<unknown, Scope>;
  const { template, scope } = gather(frame, came, name);
  const told = addDelivery(builder, oneSlot(builder, template, scope));
  openLanes(builder, body);
  return returned(frame, body.id, told.id);
}

/** Calls do not wait for each other. What a graph that is called does with items of its own goes on as there. */
function openLanes(builder: Builder, body: DraftSlot): void {
  for (const slot of builder.slots.slice(body.id + 1))
    if (streamAround(builder, slot.scope) === body.stream) slot.laneCapacity = BOUNDLESS;
}

function specOf(name: string, version: string, begin: Talker["begin"]): OpSpec {
  return Object.freeze({
    name,
    kind: "asyncGenerator",
    run: (): never => {
      throw new Error(`the body of workflow ${name} does not run by itself`);
    },
    converse: begin,
    input: null,
    output: null,
    // What it does, its calls do.
    effect: "pure",
    version,
    onResume: "verify",
    transient: false,
    bound: null,
    policies: Object.freeze({}),
    needs: null,
    context: null,
  });
}

/** What an arm came to is one value: its streams become lists, as in the output of a run. */
function collected(result: unknown): unknown {
  if (infoOf(result) === undefined) return result;
  const frame = frameFor("an arm");
  const template = collectedResult(frame.builder, resultOf(frame, result), frame.scope);
  return makeRef({ frame, template, label: "its result", named: false, key: `r${frame.id}`, kind: "value" });
}

/** Behind the end of all calls: who comes after a workflow comes after everything in it. */
function returned(frame: Frame, body: number, told: number): unknown {
  const { template, scope } = gather(frame, slotRef(frame, body, BODY_NAME, false), "what it returns");
  const slot = addSlot(frame.builder, { kind: SlotKind.record, scope, inputs: template, after: [told] });
  return slotRef(frame, slot.id, "its result", false);
}
