import { buildError } from "../base/error.ts";
import { SlotKind } from "../model/plan.ts";
import type { PerItem } from "../model/op.ts";
import type { Arg, Ref, RefOf } from "../model/ref.ts";
import type { Cell, Overwrite, Reducer } from "../model/reducer.ts";
import type { Run, Scope } from "../model/scope.ts";
import { frameFor, running, sees, type Builder, type Frame } from "./builder.ts";
import { afterSlots, orderedOf } from "./call-options.ts";
import { gather } from "./gather.ts";
import { checkName } from "./names.ts";
import { checkKeys, checkVersion } from "./options.ts";
import { Overwriting } from "./overwrite.ts";
import { addSlot, type NewSlot } from "./slots.ts";
import { slotRef } from "./streams.ts";

interface CellDefinition {
  readonly name: string;
  readonly reducer: Reducer<unknown, unknown>;
  readonly allowRace: boolean;
  readonly carry: boolean;
  /** The body that made it, or null when it was made outside of any and is shared by all graphs that use it. */
  readonly home: Frame | null;
}

const definitions = new WeakMap<object, CellDefinition>();

/** What a cell may be told. */
interface CellOptions {
  /** With a reducer that keeps only the last update: any order of the writers will do. */
  readonly allowRace?: true;
  /**
   * Of runs in a `thread`: the next run begins with what the last one that completed left in it, instead of with the
   * reducer's initial value.
   */
  readonly carry?: true;
}

/**
 * A value of the run that `push` folds updates into and `read` reads: `cell("log", append<string>())`. Made outside of
 * a graph it is one value of the run for all graphs that use it; made in a body it belongs to that body.
 */
export function cell<A, U>(name: string, reducer: Reducer<A, U>, options: CellOptions = {}): Cell<A, U> {
  checkName("a cell", name);
  checkKeys(`cell ${name}`, options, ["allowRace", "carry"]);
  if (typeof reducer !== "object" || reducer === null || typeof reducer.reduce !== "function" || !("init" in reducer)) {
    throw buildError(
      `cell ${name} has no reducer`,
      "give one of append(), add(), min(), max(), merge(), last(value), messagesById(), orderedBy(key), or { init, reduce }",
    );
  }
  checkVersion(`the reducer of cell ${name}`, reducer.version);
  const home = running();
  const made = Object.freeze({ name: home === null ? name : home.prefix + name }) as Cell<A, U>;
  definitions.set(made, {
    name: made.name,
    reducer,
    allowRace: options.allowRace === true,
    carry: options.carry === true,
    home,
  });
  return made;
}

/** By member: TypeScript sees no union behind `NoInfer` when it checks the fields of a literal. */
type Update<U> = U extends unknown ? NoInfer<U> : never;

/** How the pushes of the items of a stream stand to each other. */
interface PushOptions<S extends Scope> {
  /**
   * Fold what items give in the order the items were made: an update waits for those of earlier items, or until it is sure
   * that there are none. Default: as they come, which is the order of the journal.
   */
  readonly ordered?: PerItem<S, boolean>;
}

/**
 * Folds `value` into the cell when it has one, or puts it in the place of what the cell holds: `overwrite(value)`.
 * Resolves to `undefined`; name it in the `after` of a `read`.
 */
export function push<A, S extends Scope>(
  into: Cell<A, never>,
  value: Overwrite<NoInfer<A>, S>,
  options?: PushOptions<S>,
): Ref<undefined, S>;
export function push<U, S extends Scope = Run>(
  into: Cell<unknown, U>,
  value: Arg<Update<U>, S>,
  options?: PushOptions<S>,
): Ref<undefined, S>;
export function push(
  into: Cell<unknown, never>,
  given: unknown,
  options: PushOptions<Scope> = {},
): Ref<undefined, Scope> {
  const frame = frameFor("push()");
  const cell = cellId(frame, into, "push()");
  const overwrites = given instanceof Overwriting;
  const value = overwrites ? given.value : given;
  const where = `push() into ${into.name}`;
  checkKeys(where, options, ["ordered"]);
  const { template, scope } = gather(frame, value, where);
  const ordered = orderedOf(frame.builder, where, scope, options);
  const added: NewSlot = {
    kind: SlotKind.push,
    scope,
    inputs: template,
    after: frame.after,
    cell,
    overwrites,
    ordered,
  };
  const slot = addSlot(frame.builder, added);
  return slotRef(frame, slot.id, `push(${into.name})`, false) as Ref<undefined, Scope>;
}

/** How a read stands to the writers of its cell. */
interface ReadOrder {
  /** The pushes, or what is after them, that must be through. Without `at` every writer must be covered. */
  readonly after: readonly RefOf<unknown, Scope>[];
  /** Read without an order: what happens to be folded by then. */
  readonly allowRace?: true;
}

interface ReadAt<S extends Scope> {
  /**
   * Read once per item of this ref's stream, when it is there, what is folded by then, whoever wrote it. A push of the same
   * item is only sure to be in it when `after` names it.
   */
  readonly at: RefOf<unknown, S>;
}

type ReadOptions<S extends Scope> = (ReadOrder & Partial<ReadAt<S>>) | (ReadAt<S> & Partial<ReadOrder>);

/** The value of a cell once everything in `after` ended; with `at`, per item, as folded so far. */
export function read<A, S extends Scope = Run>(from: Cell<A, never>, options: ReadOptions<S>): Ref<A, S> {
  const frame = frameFor("read()");
  const id = cellId(frame, from, "read()");
  const where = `read() of ${from.name}`;
  checkKeys(where, options, ["after", "at", "allowRace"]);
  if (options.after === undefined && options.at === undefined)
    throw buildError(
      `${where} does not say when`,
      "name the pushes it waits for: read(cell, { after: [pushed] }); or the item it is read at: read(cell, { at: item })",
    );
  const { template, scope } =
    options.at === undefined ? { template: null, scope: frame.scope } : gather(frame, options.at, where);
  const after = afterSlots(frame, where, scope, options.after);
  const slot: NewSlot = { kind: SlotKind.read, scope, after, cell: id, inputs: template };
  const added = addSlot(frame.builder, slot);
  if (options.at === undefined && options.allowRace !== true) frame.builder.orderedReads.push(added.id);
  return slotRef(frame, added.id, from.name, true) as Ref<A, S>;
}

function cellId(frame: Frame, used: object, what: string): number {
  const definition = definitions.get(used);
  if (definition === undefined) throw buildError(`${what} was not given a cell`, "make one with cell(name, reducer)");
  const { home, name } = definition;
  if (home !== null && !sees(frame, home)) {
    throw buildError(
      `cell ${name} was made in the body of graph ${home.graph} but is used in graph ${frame.graph}`,
      "make it outside of the bodies to share it",
      "ForeignRef",
    );
  }
  return frame.builder.cellIds.get(used) ?? addCell(frame.builder, used, definition);
}

function addCell(builder: Builder, used: object, { name, reducer, allowRace, carry }: CellDefinition): number {
  if (builder.cells.some((other) => other.name === name))
    throw buildError(
      `two cells are called ${name} in graph ${builder.graph}`,
      "give one of them another name",
      "DuplicateName",
    );
  const id = builder.cells.length;
  builder.cells.push({
    name,
    initial: reducer.init,
    reduce: (accumulator, update) => reducer.reduce(accumulator, update),
    grow: reducer.grow ?? null,
    view: reducer.view === undefined ? null : (accumulator) => reducer.view?.(accumulator),
    carry,
    version: reducer.version ?? "",
  });
  builder.cellIds.set(used, id);
  if (allowRace) builder.racyCells.add(id);
  if ((reducer as { readonly lastWins?: unknown }).lastWins === true) builder.lastCells.add(id);
  return id;
}
