/** Streams that leave a block: their items are passed on, one by one, to a stream around the block. */
import { buildError } from "../../base/error.ts";
import { SlotKind, type Template } from "../../model/plan.ts";
import { RUN_SCOPE, type Builder, type DraftSlot, type Frame } from "../builder.ts";
import { oneSlot, planCollect } from "../collectors.ts";
import { NOTHING } from "../field.ts";
import { eachSource } from "../gather.ts";
import { makeRef } from "../ref.ts";
import { infoOf } from "../ref.ts";
import { innerOf, isWithin, itemScopeOf, scopeLabel } from "../scopes.ts";
import { addSlot } from "../slots.ts";
import { openStream } from "../streams.ts";
import type { Arm } from "./closure.ts";

/** The block that a stream leaves, when its slot exists. */
export interface Left {
  readonly frame: Frame;
  readonly block: number;
  readonly home: number;
  readonly arms: readonly Arm[];
}

/** The item scope that `template` lives in, if that is inside the arm; -1 when it is one value of the arm. */
export function streamOf(builder: Builder, arm: Arm, template: Template): number {
  let { scope } = arm.frame;
  eachSource(template, ({ slot }) => {
    scope = innerOf(builder, scope, builder.slots[slot]!.scope, `the result of ${arm.frame.prefix.slice(0, -1)}`);
  });
  return scope === arm.frame.scope ? -1 : scope;
}

/** By arm: the feeds of a stream and of the streams in its items, outermost first; none where the arm has no stream. */
type Ways = readonly (readonly number[])[];

/**
 * The item, around the block, of a stream whose items come out of its arms: `templates` by arm. The stream ends when the
 * arm's does (`byArm`), or with the block. A stream of streams leaves as one: each item of it, outside, has a stream that
 * ends with the one inside.
 */
export function leaveStream(left: Left, templates: readonly Template[], label: string, byArm: boolean): Template {
  const { frame, block, home } = left;
  const { builder } = frame;
  const ways = templates.map((template, arm) => (template === NOTHING ? [] : addFeeds(left, arm, template, label)));
  const depth = depthOf(left, ways, label);
  const feeds = ways.map(([outermost = -1]) => outermost);
  checkNesting(builder, home, feeds, label);
  let forward = addForward(left, home, [...feeds.filter((feed) => feed >= 0), block], ways, 0, byArm ? feeds : null);
  (builder.slots[block]!.block!.forwards as number[]).push(forward.id);
  let item = openStream(frame, forward, label, true, null);
  for (let level = 1; level < depth; level++) {
    const { itemScope } = builder.streams[forward.stream]!;
    const inner = ways.flatMap((way) => way[level] ?? []);
    forward = addForward(left, itemScope, [...inner, forward.id], ways, level, null);
    builder.typed[forward.id] = itemScope;
    item = openStream(frame, forward, label, true, null);
  }
  const info = infoOf(item);
  if (info === undefined) throw new Error("a stream has an item");
  return info.template;
}

/** `byArm`: the feeds, if their ends are the stream's. */
function addForward(
  { frame: { builder }, block }: Left,
  scope: number,
  fedBy: number[],
  ways: Ways,
  level: number,
  byArm: number[] | null,
): DraftSlot {
  const forward = addSlot(builder, {
    kind: SlotKind.forward,
    scope,
    ...(byArm !== null && { arms: { block, from: byArm } }),
    fedBy,
  });
  forward.anchor = block;
  for (const way of ways) {
    const feed = way[level];
    if (feed !== undefined)
      builder.slots[feed]!.feed = { to: forward.id, part: 0, outer: level === 0 ? -1 : way[level - 1]! };
  }
  return forward;
}

/** How many streams are in one another; the same in all arms. */
function depthOf({ arms }: Left, ways: Ways, label: string): number {
  const depths = ways.map((way) => way.length);
  const depth = Math.max(...depths);
  const shallower = depths.findIndex((other) => other > 0 && other < depth);
  if (shallower < 0) return depth;
  const name = (arm: number): string => arms[arm]!.frame.prefix.slice(0, -1);
  throw buildError(
    `${label} is a stream of streams in ${name(depths.indexOf(depth))} and a stream of values in ${name(shallower)}`,
    "return streams of one depth from all bodies: collect the inner stream where there is one, or wrap a list in each() where there is none",
  );
}

/**
 * A block that runs per item lets out a stream per item. Types see that only where the stream is made of something of
 * the item; else they would take its items for those of one stream.
 */
function checkNesting(builder: Builder, home: number, feeds: readonly number[], label: string): void {
  const item = itemScopeOf(builder, home);
  const sources = feeds.flatMap((feed) => {
    const { collect = null } = builder.slots[feed] ?? {};
    return collect === null ? [] : [builder.streams[collect.stream]!.source];
  });
  if (item === RUN_SCOPE || sources.some((source) => isWithin(builder, builder.typed[source]!, item))) return;
  throw buildError(
    `${label} is one stream per item of ${scopeLabel(builder, item)}, but nothing it is made of is, so its type says one stream`,
    "make it of something of the item, or collect it in the body",
  );
}

/** A feed per stream around `template` in the arm, each watching the one further in, and the innermost the value itself. */
function addFeeds({ frame: { builder }, arms }: Left, arm: number, template: Template, label: string): number[] {
  const closure = arms[arm]!;
  const innermost = streamOf(builder, closure, template);
  if (innermost < 0)
    throw buildError(
      `${label} is a stream in one body and one value in ${closure.frame.prefix.slice(0, -1)}`,
      "return a stream from all of them, or collect it where it is one",
    );
  const feeds: number[] = [];
  let watch = oneSlot(builder, template, innermost);
  for (let at = innermost; at !== closure.frame.scope; at = builder.scopes[at]!.parent) {
    const collect = planCollect(builder, watch, "skip", null);
    watch = addSlot(builder, { kind: SlotKind.feed, scope: builder.scopes[at]!.parent, collect }).id;
    builder.streams[collect.stream]!.collectors.push(watch);
    feeds.unshift(watch);
  }
  return feeds;
}

/** What the arms of a block that gives one record returned, with the streams among it taken apart. */
export interface Split {
  /** By arm: the record, without its streams. */
  readonly values: readonly Template[];
  /** Keys that are streams, with what each arm has there; the key is empty when the whole result is one. */
  readonly streams: readonly { readonly key: string; readonly templates: readonly Template[] }[];
}

export function splitStreams(builder: Builder, arms: readonly Arm[]): Split {
  const whole = arms.map(({ template }) => template);
  if (arms.some((arm) => arm.template.type !== "object" && streamOf(builder, arm, arm.template) >= 0))
    return { values: arms.map(() => NOTHING), streams: [{ key: "", templates: whole }] };
  const keys = new Set<string>();
  for (const arm of arms) {
    if (arm.template.type !== "object") continue;
    arm.template.keys.forEach((key, i) => {
      const { values } = arm.template as { values: readonly Template[] };
      if (streamOf(builder, arm, values[i]!) >= 0) keys.add(key);
    });
  }
  if (keys.size === 0) return { values: whole, streams: [] };
  return {
    values: whole.map((template) => without(template, keys)),
    streams: [...keys].map((key) => ({ key, templates: whole.map((template) => fieldIn(template, key)) })),
  };
}

function fieldIn(template: Template, key: string): Template {
  if (template.type !== "object") return NOTHING;
  return template.values[template.keys.indexOf(key)] ?? NOTHING;
}

function without(template: Template, streams: ReadonlySet<string>): Template {
  if (template.type !== "object") return template;
  const kept = template.keys.flatMap((key, i) => (streams.has(key) ? [] : [[key, template.values[i]!] as const]));
  return { type: "object", keys: kept.map(([key]) => key), values: kept.map(([, value]) => value) };
}

/** The result of a block as its caller sees it: its record, with its streams as items. */
export function resultWithStreams(left: Left, split: Split, name: string, byArm: boolean): unknown {
  const { frame, block } = left;
  const source = (path: readonly string[]): Template => ({
    type: "source",
    source: { slot: block, path, strict: false },
  });
  const items = split.streams.map(({ key, templates }) =>
    leaveStream(left, templates, key === "" ? name : `${name}.${key}`, byArm),
  );
  const [first] = split.streams;
  const base = { frame, label: name, named: true, key: `s${block}` };
  if (first === undefined) return makeRef({ ...base, template: source([]), kind: "value" });
  if (first.key === "") return makeRef({ ...base, template: items[0]!, kind: "value" });
  const keys = [...new Set(split.values.flatMap((value) => (value.type === "object" ? value.keys : [])))];
  return makeRef({
    ...base,
    template: {
      type: "object",
      keys: [...keys, ...split.streams.map(({ key }) => key)],
      values: [...keys.map((key) => source([key])), ...items],
    },
    kind: "streams",
  });
}
