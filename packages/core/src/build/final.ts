import { buildError } from "../base/error.ts";
import { SlotKind } from "../model/plan.ts";
import type { Finishing, Ref } from "../model/ref.ts";
import type { Scope } from "../model/scope.ts";
import { frameFor, type DraftSlot, type Frame } from "./builder.ts";
import { checkHome } from "./gather.ts";
import { infoOf } from "./ref.ts";
import { slotRef } from "./streams.ts";

/**
 * What a generator op returned after its last item: one value, in the scope of the call.
 *
 * ```ts
 * const row = readRows({ file: input.file });       // async function* … yield row … return { skipped }
 * return { rows: collect(row), skipped: final(row).skipped };
 * ```
 *
 * It is there when the generator ended, whatever becomes of its items; if the generator failed, so does what reads it.
 * `gen` is what the call gave, not a field of it. Items of the stream itself cannot wait for it: that is a `BuildError`.
 */
export function final<F, S extends Scope>(gen: Finishing<F, S>): Ref<F, S> {
  const frame = frameFor("final()");
  const info = infoOf(gen);
  if (info === undefined) throw notAGenerator("what final() was given");
  checkHome(frame, info, "final()");
  const { template } = info;
  const source = template.type === "source" && template.source.path.length === 0 ? template.source.slot : -1;
  const call = generatorOf(frame, source);
  if (call === undefined) throw notAGenerator(info.label);
  frame.builder.reads[call.id] ??= { owner: `the return value of op ${call.name}`, shape: null, strict: true };
  return slotRef(frame, call.id, `final(${info.label})`, false) as Ref<F, S>;
}

/** The call whose items the slot stands for. */
function generatorOf({ builder }: Frame, item: number): DraftSlot | undefined {
  const slot = builder.slots[item];
  if (slot?.kind !== SlotKind.item) return undefined;
  const stream = builder.streams[builder.scopes[slot.scope]?.stream ?? -1];
  const source = stream === undefined ? undefined : builder.slots[stream.source];
  return source?.kind === SlotKind.op ? source : undefined;
}

function notAGenerator(what: string): Error {
  return buildError(
    `${what} is not the result of calling a generator op`,
    "write const item = gen({ … }) and final(item); a value that every item has is read with collect or reduce",
  );
}
