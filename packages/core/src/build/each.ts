import { buildError } from "../base/error.ts";
import { SlotKind } from "../model/plan.ts";
import type { Ref, RefOf } from "../model/ref.ts";
import type { Inner, Item, Run, Scope } from "../model/scope.ts";
import { frameFor, type Frame } from "./builder.ts";
import { gather } from "./gather.ts";
import { AN_OPTION, takeName } from "./names.ts";
import { checkKeys } from "./options.ts";
import { infoOf } from "./ref.ts";
import type { RefInfo } from "./ref-info.ts";
import { addSlot } from "./slots.ts";
import { itemRef, openStream } from "./streams.ts";

/** What a stream is called in paths: names, fields and dots, without the marks that paths are read by. */
const SEGMENT = /^[A-Za-z0-9_][A-Za-z0-9_./-]*$/;

/**
 * The items of a list as a stream: what is called with the result runs once per item. Called twice on one list it is
 * one stream; a `name` makes it a stream of its own, and is needed where the list has no name, as that of `derive`.
 */
export function each<T, S extends Scope>(
  list: RefOf<readonly T[], S>,
  options: { name?: string } = {},
): Ref<T, Inner<S>> {
  return itemsOf(list, options, false);
}

/** The same for what a form of graph is wired with: its authors see no items, and these do not count as nested. */
export function eachWired<T>(list: Ref<readonly T[]>, name: string): Ref<T, Item> {
  return itemsOf<T, Run>(list, { name }, true);
}

function itemsOf<T, S extends Scope>(
  list: RefOf<readonly T[], S>,
  options: { name?: string },
  isWired: boolean,
): Ref<T, Inner<S>> {
  const frame = frameFor("each()");
  checkKeys("each()", options, ["name"]);
  const info = infoOf(list);
  const { template, scope } = gather(frame, list, "each()");
  if (template.type === "constant" && !Array.isArray(template.value)) {
    throw buildError(
      `each() was given ${info?.label ?? "a value"} that is not a list`,
      "pass a list, or a ref of one",
      "NotPerItem",
    );
  }
  const key = info === undefined ? null : `${frame.id} ${info.key} ${options.name ?? ""}`;
  const known = key === null ? undefined : frame.builder.streamIds.get(key);
  if (known !== undefined) return knownItem(frame, known) as Ref<T, Inner<S>>;
  const segment = segmentOf(frame, info, options.name);
  if (key !== null) frame.builder.streamIds.set(key, frame.builder.streams.length);
  const source = addSlot(frame.builder, { kind: SlotKind.each, scope, inputs: template });
  if (isWired) frame.builder.wired.add(source.id);
  return openStream(frame, source, segment, true, null) as Ref<T, Inner<S>>;
}

function knownItem(frame: Frame, id: number): unknown {
  const stream = frame.builder.streams[id]!;
  const item = frame.builder.scopes[stream.itemScope]!.slots[0]!;
  return itemRef(frame, item, stream.segment, true);
}

function segmentOf(frame: Frame, info: RefInfo | undefined, name: string | undefined): string {
  if (name !== undefined) return takeName(frame, "this stream", name, AN_OPTION);
  const fix = 'give the stream a name: each(list, { name: "…" })';
  if (info === undefined || !info.named)
    throw buildError(`each() was given ${info?.label ?? "a list"} that has no name of its own`, fix, "BadName");
  if (!SEGMENT.test(info.label)) throw buildError(`${info.label} cannot name a stream in paths`, fix, "BadName");
  return info.label;
}
