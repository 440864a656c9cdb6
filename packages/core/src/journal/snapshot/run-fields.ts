/** The fields of a run's state, beside what its root refers to. */
import type { ErrorEntry } from "../../events/record.ts";
import { CellState } from "../../state/cell.ts";
import type { Crashes } from "../../state/crashes.ts";
import { FailureLog } from "../../state/failure.ts";
import { openInvocations } from "../../state/invocations.ts";
import type { Pending } from "../../state/pending.ts";
import type { RunState } from "../../state/run-state.ts";
import type { UnsafeBody } from "../../state/unsafe-bodies.ts";
import type { Context } from "../../state/context.ts";
import { data, maybe, node, nodes, plain, type Field, type FieldsOf } from "./fields.ts";
import { collectKind, contextKind, failureKind, pendingKind } from "./nodes.ts";

type RunField<K extends keyof RunState> = Field<RunState[K], RunState>;

/** Of one step, or of what drives the run: not between two steps, or not of the run. */
function passing<V>(value: V): Field<V, RunState> {
  return { save: () => 0, load: () => value };
}

/** What is known of invocations beside what they are: of the open ones. */
function ofPending<V>(save: (value: V) => unknown): Field<WeakMap<Pending, V> | null, RunState> {
  return {
    save(writer, known, run) {
      if (known === null) return 0;
      return openInvocations(run).flatMap((pending) => {
        const value = known.get(pending);
        return value === undefined ? [] : [[writer.node(pendingKind, pending), writer.data(save(value))]];
      });
    },
    load(reader, saved) {
      if (saved === 0) return null;
      const known = new WeakMap<Pending, V>();
      for (const [id, value] of saved as [number, unknown][])
        known.set(reader.node(id) as Pending, reader.data(value) as V);
      return known;
    },
  };
}

const cells: RunField<"cells"> = {
  save: (writer, known) => known?.map((cell) => [writer.data(cell.accumulated()), writer.data(cell.given)]) ?? 0,
  load: (reader, saved, { program }) =>
    saved === 0
      ? null
      : program.plan.cells.map((plan, i) => {
          const cell = new CellState(plan, undefined);
          const [accumulated, given] = (saved as [unknown, unknown][])[i] ?? [];
          cell.restore(reader.data(accumulated), reader.data(given) as CellState["given"]);
          return cell;
        }),
};

const reported: RunField<"reported"> = {
  save: (writer, known) =>
    known === null ? 0 : Array.from(known, ([context, slots]) => [writer.node(contextKind, context), [...slots]]),
  load: (reader, saved) =>
    saved === 0
      ? null
      : new Map(
          (saved as [number, number[]][]).map(([id, slots]) => [reader.node(id) as Context, new Set(slots)] as const),
        ),
};

type Saved = Omit<
  FieldsOf<RunState, "program" | "tables" | "raise" | "runId">,
  // A step leaves its effects; what is to be done is in the invocations.
  "aside" | "effects" | "told" | "replaying" | "journaled" | "probe" | "check" | "thread"
>;

export const runFields: Readonly<Record<string, Field<unknown, RunState>>> = {
  root: { ...node(() => contextKind), load: (_, __, run) => run.root } as RunField<"root">,
  seq: plain,
  gathered: maybe(nodes(() => collectKind)),
  inFlight: plain,
  cells,
  failures: {
    save: (writer, log) => (log === null ? 0 : writer.data(log.list())),
    load: (reader, saved) => (saved === 0 ? null : FailureLog.of(reader.data(saved) as ErrorEntry[])),
  },
  raised: node(() => failureKind),
  end: passing(null),
  ending: data as RunField<"ending">,
  cancelReason: plain,
  draining: plain,
  stoppedCleanly: plain,
  dropped: passing(null),
  decided: passing(null),
  foretold: passing(null),
  // Stands as records of its own beside the state.
  kept: passing(null),
  trail: passing(null),
  withdrawn: passing(null),
  withdrawnPaths: {
    save: (_, paths) => (paths === null ? 0 : [...paths]),
    load: (_, saved) => (saved === 0 ? null : new Set(saved as string[])),
  },
  aborted: passing(null),
  reported,
  totals: ofPending((due: number) => due),
  unsafeBodies: ofPending((body: UnsafeBody) => body),
  unrecordedStarts: plain,
  startsMissing: plain,
  crashes: ofPending((crashes: Crashes) => crashes),
  callerValues: data as RunField<"callerValues">,
  tags: data as RunField<"tags">,
  carried: data as RunField<"carried">,
  // From format 2 on; behind all others, so that what is of format 1 is read without.
  knownAs: {
    save: (_, known) => (known === null ? 0 : [...known]),
    load: (_, saved) => (saved === 0 || saved === undefined ? null : new Map(saved as [number, string][])),
  },
  removedStarts: passing(null),
  // From format 3 on. None is taken while there are any.
  regions: passing(null),
  openRegions: passing(0),
} satisfies Saved;
