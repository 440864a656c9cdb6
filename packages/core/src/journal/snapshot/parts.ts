/** Fields that take more than a line, of what nodes.ts describes. */
import type { Context } from "../../state/context.ts";
import type { Failure } from "../../state/failure.ts";
import type { Parcel, PartState, Zip, ZipState } from "../../state/forward.ts";
import { Gaps, type GapRange } from "../../state/gaps.ts";
import { Lane } from "../../state/lane.ts";
import { Todo, type Pending } from "../../state/pending.ts";
import { entries, inPlace, listOf, maybe, plain, type Field, type FieldsOf } from "./fields.ts";
import type { StateReader } from "./state-reader.ts";
import type { StateWriter } from "./state-writer.ts";

export const todo: Field<Todo, Pending> = {
  save: (_, __, pending) => untaken(pending),
  load: (_, saved) => saved as Todo,
};

/**
 * What the kernel left to be done: the runtime, which takes it up, notes there how far it is, and that is over with its
 * process. A retry whose time has come is a start.
 */
function untaken({ todo, context, slot, yielded }: Pending): Todo {
  if (todo === Todo.wait || todo === Todo.retry) return todo;
  if (context.streams?.some(({ plan, waiting }) => waiting && plan.id === slot.stream) === true) return Todo.none;
  return yielded > 0 ? Todo.pull : Todo.start;
}

export const gaps: Field<Gaps | null> = {
  save: (_, value) => value?.list() ?? 0,
  load: (_, ranges) => (ranges === 0 ? null : Gaps.of(ranges as GapRange[])),
};

/** `item`: of the stream whose lane it is. */
export function laneField(item: Field<Context>): Field<Lane | undefined> {
  const fields: FieldsOf<Lane> = {
    running: plain,
    queue: inPlace({
      save: (writer, queue) => listOf(item).save(writer, queue.list(), undefined),
      load: (reader, saved, lane: Lane) => {
        for (const waiting of listOf(item).load(reader, saved, undefined)) lane.queue.push(waiting);
      },
    }) as Field<Lane["queue"]>,
    stale: plain,
    next: plain,
    early: maybe(entries(item)),
    gaps,
  };
  const table = fields as unknown as Readonly<Record<string, Field<unknown, Lane>>>;
  return {
    save: (writer, lane) => (lane === undefined ? 0 : writer.fields(table, lane)),
    load(reader, saved) {
      if (saved === 0) return undefined;
      const lane = new Lane();
      reader.fields(table, lane, saved as unknown[]);
      return lane;
    },
  };
}

export function zipState(parcel: Field<Parcel>, failure: Field<Failure | null>): Field<ZipState, Zip> {
  return inPlace({
    save: (writer, { count, parts }) => [count, parts.map((part) => savePart(writer, part))],
    load: (reader, saved, zip) => {
      const [count, parts] = saved as [number, SavedPart[]];
      zip.restore({ count, parts: parts.map((part) => loadPart(reader, part)) });
    },
  });

  function savePart(writer: StateWriter, part: PartState): SavedPart {
    const { waiting, early, gaps, next, ended } = part;
    return [
      waiting.map((one) => parcel.save(writer, one, undefined)),
      early.map(([index, one]) => [index, parcel.save(writer, one, undefined)]),
      gaps,
      next,
      ended,
      failure.save(writer, part.failure, undefined),
    ];
  }

  function loadPart(reader: StateReader, [waiting, early, gaps, next, ended, failed]: SavedPart): PartState {
    return {
      waiting: waiting.map((one) => parcel.load(reader, one, undefined)),
      early: early.map(([index, one]) => [index, parcel.load(reader, one, undefined)] as const),
      gaps,
      next,
      ended,
      failure: failure.load(reader, failed, undefined),
    };
  }
}

type SavedPart = readonly [
  waiting: readonly unknown[],
  early: readonly (readonly [number, unknown])[],
  gaps: readonly GapRange[],
  next: number,
  ended: boolean,
  failure: unknown,
];
