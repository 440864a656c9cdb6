/**
 * What makes two invocations equal: the graph's fingerprint, the node, the op's version and source text, the resources it
 * is bound to, what the caller told it, and its input or what the user's `key` makes of it.
 */
import type { OpSpec } from "../../model/op-spec.ts";
import type { Plan, SlotPlan } from "../../model/plan.ts";
import type { CachePolicy, CallPolicies } from "../../model/policies.ts";
import type { ValueCodec } from "../../ports/value-codec.ts";
import type { Pending } from "../../state/pending.ts";
import type { RunState } from "../../state/run-state.ts";
import { systemSha256 } from "../../ports/system.ts";

const ordinals = new WeakMap<OpSpec, number>();
let lastOrdinal = 0;

/** Differs between two ops of this process, also if one function made both of them out of the same text. */
function ordinalOf(op: OpSpec): number {
  let ordinal = ordinals.get(op);
  if (ordinal === undefined) ordinals.set(op, (ordinal = ++lastOrdinal));
  return ordinal;
}

export class CacheKeys {
  readonly #codec: ValueCodec;
  readonly #ownProcess: boolean;
  readonly #groups: WeakMap<SlotPlan, string> = new WeakMap();

  /** `ownProcess`: what is kept is not read by other processes, so that ops can be told apart by identity as well. */
  constructor(codec: ValueCodec, ownProcess: boolean) {
    this.#codec = codec;
    this.#ownProcess = ownProcess;
  }

  /** Of all invocations of a node. */
  group(plan: Plan, slot: SlotPlan): string {
    let group = this.#groups.get(slot);
    if (group === undefined) this.#groups.set(slot, (group = this.#newGroup(plan, slot)));
    return group;
  }

  #newGroup(plan: Plan, slot: SlotPlan): string {
    const op = slot.op as OpSpec;
    const source = Function.prototype.toString.call(op.around ?? op.run);
    const resources = Object.entries(slot.resources ?? {});
    const own = this.#ownProcess ? ordinalOf(op) : 0;
    return systemSha256(JSON.stringify([2, plan.fingerprint, slot.name, op.version, source, resources, own]));
  }

  /** Throws what the user's `key` throws, and `Unencodable`. */
  of(run: RunState, pending: Pending): string {
    const { slot, input } = pending;
    const { key } = (slot.policies as CallPolicies).cache as CachePolicy;
    const told = slot.op?.context ?? null;
    const caller = told === null ? undefined : run.callerValues?.[told.name];
    // Each by itself, so that what cannot be encoded is named by its own path. No canonical text has a line break.
    const parts = [
      key === null
        ? `input\n${this.#codec.canonical(input, "input")}`
        : `key\n${this.#codec.canonical(key(input as never), "cache key")}`,
      caller === undefined ? "" : this.#codec.canonical(caller, "context"),
    ];
    return `${this.group(run.program.plan, slot)}/${systemSha256(parts.join("\n"))}`;
  }
}
