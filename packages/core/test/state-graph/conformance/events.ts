/** Streams of state graphs as vectors write them down, superstep by superstep. */
import type { GraphEvent, GraphPlace, Threads } from "../../../src/index.ts";
import type { Json, Patch } from "../../../../../conformance/langgraph/format/json.ts";
import type { CallRecord, EventRecord, Writes } from "../../../../../conformance/langgraph/format/vector.ts";
import { sorted } from "../../../../../conformance/langgraph/interpreter/canonical.ts";
import type { State } from "./build.ts";

/** A superstep as it was streamed; one that went on in the next call is there twice, as far as it went in each. */
export interface Streamed {
  /** A multiset, without values. */
  readonly events: readonly EventRecord[];
  /** Absent: it did not complete. */
  readonly after?: { readonly step: number; readonly values: Patch; readonly next: readonly string[] };
}

/** How far the streams of runs were read, by run. */
export type ReadSoFar = Map<string, GraphPlace>;

/** What a run did since it was read last. */
export async function streamOf(
  threads: Threads<State, State>,
  runId: string,
  read: ReadSoFar,
): Promise<readonly Streamed[]> {
  const after = read.get(runId);
  const done: Streamed[] = [];
  let events: EventRecord[] = [];
  for await (const event of await threads.events(runId, after === undefined ? {} : { after })) {
    read.set(runId, event);
    // Questions of subgraphs are told as the graph's own there.
    if (event.within !== undefined && event.event === "asked")
      events.push({ type: "interrupted", payload: event.payload as Json });
    if (event.within !== undefined) continue;
    if (event.event === "values") {
      const { step, state, next } = event;
      done.push({ events: sorted(events), after: { step, values: valuesOf(state), next: sorted(next) } });
      events = [];
    } else events.push(...recordsOf(event));
  }
  return events.length === 0 ? done : [...done, { events: sorted(events) }];
}

function recordsOf(event: GraphEvent<State, State> & { readonly within?: never }): readonly EventRecord[] {
  if (event.event === "started" || event.event === "finished") return [{ type: event.event, node: event.node }];
  if (event.event === "custom") return [{ type: "custom", data: event.value as Json }];
  if (event.event === "updates") return [{ type: "updates", node: event.node, wrote: writesOf(event.updates) }];
  return event.event === "asked" ? [{ type: "interrupted", payload: event.payload as Json }] : [];
}

function valuesOf(state: State): Patch {
  return Object.fromEntries(Object.entries(state).filter(([, value]) => value !== undefined)) as Patch;
}

function writesOf(updates: readonly State[]): Writes {
  const all: Record<string, Json[]> = {};
  for (const [field, value] of updates.flatMap((update) => Object.entries(update)))
    (all[field] ??= []).push(value as Json);
  return all;
}

/**
 * The same of a vector, whose steps are checkpoints: that an input came, or a fork was made, is no superstep. `recorded` is told of tasks
 * that do not run, and of those nothing is told here; values are taken from where they stand, since a superstep that changed nothing streams
 * none there.
 */
export function streamIn({ steps }: Pick<CallRecord, "steps">): readonly Streamed[] {
  return steps.flatMap(({ step, tasks, events, values, next }, at): readonly Streamed[] => {
    const told = events.filter(({ type }) => type !== "recorded" && type !== "values");
    const isOfInput = steps[at - 1]?.next?.includes("__start__") ?? false;
    const isOver = values !== undefined && next !== undefined && (tasks.length > 0 || isOfInput);
    if (!isOver && told.length === 0) return [];
    return [{ events: sorted(told), ...(isOver && { after: { step, values, next } }) }];
  });
}
