import { buildError } from "../base/error.ts";
import { SlotKind } from "../model/plan.ts";
import type { NeedItem, Ref, RefOf, ScopeIn, Unref } from "../model/ref.ts";
import type { Scope } from "../model/scope.ts";
import { frameFor, type Builder, type Frame } from "./builder.ts";
import { oneSlot, planCollect } from "./collectors.ts";
import type { Gathered } from "./gather.ts";
import { AN_OPTION, takeName } from "./names.ts";
import { checkChoice, checkKeys } from "./options.ts";
import { infoOf } from "./ref.ts";
import { addSlot } from "./slots.ts";
import { openStream } from "./streams.ts";
import { gatherItem } from "./values.ts";

/**
 * Pairs streams item by item, in the order they were made: `zip({ l, r })` gives `{ l, r }` per pair. Absent items are
 * passed over; a failed one makes its pair fail. Streams of different length fail (`uneven: "fail"`, default) or end with
 * the shorter one (`"stop"`). An item stays open until its pair is there, so that the faster stream waits. When the pairs
 * are over, what makes the longer one is stopped, unless something else is done with its items or an unsafe op is in it.
 */
export function zip<D extends { readonly [key: string]: RefOf<unknown, Scope> }>(
  streams: D & NeedItem<D>,
  options: { name?: string; uneven?: "fail" | "stop" } = {},
): Ref<Unref<D>, ScopeIn<D>> {
  const frame = frameFor("zip()");
  checkKeys("zip()", options, ["name", "uneven"]);
  const uneven = checkChoice("zip()", "uneven", options.uneven ?? "fail", ["fail", "stop"]);
  const keys = typeof streams === "object" && streams !== null ? Object.keys(streams) : [];
  if (keys.length < 2) throw buildError("zip() pairs two streams or more", "write zip({ left, right })");
  const parts = keys.map((key) => gatherItem(frame, streams[key], `zip() of ${key}`));
  const home = homeOf(frame.builder, keys, parts);
  const segment = segmentOf(frame, keys, streams, options.name);
  const feeds = parts.map((part) => addFeed(frame.builder, part));
  refuseWaiting(frame.builder, keys, feeds);
  const slot = addSlot(frame.builder, { kind: SlotKind.forward, scope: home, fedBy: feeds, zip: { keys, uneven } });
  slot.anchor = frame.builder.slots[feeds[0]!]!.anchor;
  feeds.forEach((feed, part) => (frame.builder.slots[feed]!.feed = { to: slot.id, part, outer: -1 }));
  const shape = { keys, required: new Set(keys), field: () => null };
  const reads = { owner: `the pairs of ${segment}`, shape, strict: false };
  return openStream(frame, slot, segment, true, reads) as Ref<Unref<D>, ScopeIn<D>>;
}

/** All of them are made in one place, and none waits for another: what is paired must be there at one time. */
function homeOf(builder: Builder, keys: readonly string[], parts: readonly Gathered[]): number {
  const scopes = parts.map(({ scope }) => builder.scopes[scope]!);
  const [first] = scopes;
  if (new Set(scopes.map(({ id }) => id)).size !== scopes.length)
    throw buildError("zip() was given one stream twice", "items of one stream need no zip: use their fields together");
  if (first === undefined || scopes.some(({ parent }) => parent !== first.parent))
    throw buildError(
      `zip() pairs streams that are made in different places: ${keys.join(", ")}`,
      "collect the inner one, or pair streams of one item",
      "UnrelatedStreams",
    );
  return first.parent;
}

/** What is paired must be there before the other stream ends: its items wait for it. */
function refuseWaiting({ slots, streams, ends }: Builder, keys: readonly string[], feeds: readonly number[]): void {
  const parts = feeds.map((feed) => slots[feed]!.collect!);
  for (const [i, { watch }] of parts.entries())
    for (const { stream } of parts)
      if (ends[watch]!.has(stream))
        throw buildError(
          `zip() of ${keys[i]} waits for the end of ${streams[stream]!.segment}, whose items wait for their pair: the stream would block itself`,
          "collect both and pair the lists with derive",
          "SelfBlockingStream",
        );
}

function segmentOf(frame: Frame, keys: readonly string[], streams: object, name: string | undefined): string {
  if (name !== undefined) return takeName(frame, "this zip", name, AN_OPTION);
  const labels = keys.map((key) => infoOf((streams as Record<string, unknown>)[key])?.label ?? key);
  return `${frame.prefix}zip-${labels.map((label) => label.replaceAll(/[^A-Za-z0-9_.-]/g, "-")).join("-")}`;
}

function addFeed(builder: Builder, { template, scope }: Gathered): number {
  const collect = planCollect(builder, oneSlot(builder, template, scope), "skip", null);
  const feed = addSlot(builder, { kind: SlotKind.feed, scope: builder.scopes[scope]!.parent, collect });
  builder.streams[collect.stream]!.collectors.push(feed.id);
  return feed.id;
}
