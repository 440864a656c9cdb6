import { parseDuration } from "../base/duration.ts";
import { buildError } from "../base/error.ts";
import { SlotKind } from "../model/plan.ts";
import { throughOf } from "./blocks/through.ts";
import type { CallOptions } from "../model/op.ts";
import type { Scope } from "../model/scope.ts";
import type { Builder, Frame } from "./builder.ts";
import { endSeenFrom } from "./collectors.ts";
import { checkHome, eachSource } from "./gather.ts";
import { checkChoice, checkCount, checkKeys } from "./options.ts";
import { TIMEOUT_KEYS } from "./policies.ts";
import { infoOf } from "./ref.ts";
import { streamAround } from "./scopes.ts";
import { addSlot } from "./slots.ts";

/** As written: the types of what it holds are checked here. */
export type WrittenOptions = CallOptions<Scope>;

const STREAM_KEYS = ["parallel", "buffer", "ordered", "onFull"] as const;
const OP_KEYS = ["name", "after", ...STREAM_KEYS, "retry", "timeout", "onFailure", "cache", "bind"];
const GRAPH_KEYS = ["name", "after", "parallel", "buffer", "timeout", "bind"];
const ONLY_FOR_OPS = ["retry", "ordered", "onFull", "onFailure", "cache"];

export function checkOpCall(where: string, options: WrittenOptions): void {
  checkKeys(where, options, OP_KEYS);
}

export function checkGraphCall(where: string, options: WrittenOptions): void {
  if (typeof options === "object" && options !== null) {
    const wrong = ONLY_FOR_OPS.find((key) => key in options);
    if (wrong !== undefined)
      throw buildError(
        `${wrong} of ${where} is set, but a graph call takes none`,
        `set it on the ops inside; a graph call takes ${GRAPH_KEYS.join(", ")}`,
      );
  }
  checkKeys(where, options, GRAPH_KEYS);
}

/** How long a call of a graph may take, in milliseconds; 0: as long as it does. */
export function totalOf(where: string, { timeout }: WrittenOptions): number {
  if (timeout === undefined) return 0;
  checkKeys(`timeout of ${where}`, timeout, TIMEOUT_KEYS);
  const wrong = (["run", "idle"] as const).find((key) => timeout[key] !== undefined);
  if (wrong !== undefined)
    throw buildError(
      `timeout.${wrong} of ${where} is set, but a graph call takes none`,
      "set it on the ops inside; timeout.total of a graph call limits all of it",
    );
  return timeout.total === undefined ? 0 : parseDuration(timeout.total, `timeout.total of ${where}`);
}

/** What a call says about the stream it runs in. Returns the lane capacity it asks for. */
export function applyStreamOptions(
  builder: Builder,
  where: string,
  scope: number,
  options: WrittenOptions,
): number | undefined {
  const { parallel, buffer, ordered, onFull } = options as { [K in (typeof STREAM_KEYS)[number]]?: unknown };
  const stream = streamAround(builder, scope);
  if (stream < 0) {
    const set = STREAM_KEYS.find((key) => options[key] !== undefined);
    if (set !== undefined)
      throw buildError(
        `${set} of ${where} is set, but the call runs once`,
        "leave it out, or make the call per item: wrap a list in each()",
        "NotPerItem",
      );
    return undefined;
  }
  if (ordered !== undefined && typeof ordered !== "boolean")
    throw buildError(`ordered of ${where} is ${JSON.stringify(ordered)}`, "it is true or false");
  if (buffer !== undefined)
    builder.buffers.set(stream, Math.min(builder.buffers.get(stream) ?? Infinity, checkCount(where, "buffer", buffer)));
  if (onFull !== undefined)
    setOnFull(builder, where, stream, checkChoice(where, "onFull", onFull, ["wait", "dropOldest"]));
  return parallel === undefined ? undefined : checkCount(where, "parallel", parallel);
}

/** The one of these options that a push and an emission take: they are over at once, and hold nothing. */
export function orderedOf(
  builder: Builder,
  where: string,
  scope: number,
  { ordered }: { readonly ordered?: unknown },
): boolean {
  applyStreamOptions(builder, where, scope, (ordered === undefined ? {} : { ordered }) as WrittenOptions);
  return ordered === true;
}

function setOnFull(builder: Builder, where: string, stream: number, onFull: "wait" | "dropOldest"): void {
  const before = builder.onFull.get(stream);
  if (before !== undefined && before !== onFull) {
    const { segment } = builder.streams[stream]!;
    throw buildError(
      `onFull of ${where} is "${onFull}", but another consumer of ${segment} says "${before}"`,
      "a stream does one or the other when it is full",
    );
  }
  builder.onFull.set(stream, onFull);
}

/** The slots that a call in `scope` waits for: the body's own, and those of the refs in `after`. */
export function afterSlots(frame: Frame, where: string, scope: number, after: unknown): readonly number[] {
  if (after === undefined) return frame.after;
  if (!Array.isArray(after)) throw buildError(`after of ${where} is not a list`, "write after: [ref]");
  const slots = [...frame.after];
  for (const ref of after as readonly unknown[]) {
    const info = infoOf(ref);
    if (info === undefined)
      throw buildError(
        `after of ${where} holds something that is not a ref`,
        "name what the call waits for: the refs that other calls returned",
      );
    checkHome(frame, info, where);
    let sources = 0;
    eachSource(info.template, ({ slot }) => {
      sources++;
      slots.push(endSeenFrom(frame.builder, slot, scope));
      slots.push(...throughSlots(frame.builder, slot, scope));
    });
    if (sources === 0)
      throw buildError(
        `after of ${where} names ${info.label}, which is a constant`,
        "name the ref of something that runs",
      );
  }
  return slots;
}

/** Who waits for a block waits for all that runs in it, not only for what it gives. */
function throughSlots(builder: Builder, slot: number, scope: number): readonly number[] {
  const block = builder.slots[slot]!.arms?.block ?? slot;
  const through = throughOf(builder, block, (home) =>
    addSlot(builder, { kind: SlotKind.through, scope: home, arms: { block, from: [] } }),
  );
  return through < 0 ? [] : [endSeenFrom(builder, through, scope)];
}
