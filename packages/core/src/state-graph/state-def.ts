/** How updates become state: a reducer per field, or one `merge` over all of it. */
import { buildError, errorOf } from "../base/error.ts";
import type { Reducer } from "../model/reducer.ts";
import type { InferInput, InferOutput, StandardSchemaV1 } from "../model/standard-schema.ts";
import { deepFreeze } from "../base/freeze.ts";
import { syncOnly } from "../base/sync-only.ts";
import { checkVersion } from "../build/options.ts";
import { textsOf } from "../build/reducer-texts.ts";
import { isSchema } from "../build/shape.ts";

/**
 * A field: a reducer (`append()`, `add()`, `last(0)`, `{ init, reduce }`), or a Standard Schema, by which each update is
 * checked and takes the place of the one before.
 */
// oxlint-disable-next-line typescript/no-explicit-any -- any accumulator and update; they vary differently
export type Field = Reducer<any, any> | StandardSchemaV1;

export type Fields = Readonly<Record<string, Field>>;

// oxlint-disable-next-line typescript/no-explicit-any -- as above
type ValueOf<F> = F extends Reducer<infer A, any> ? A : F extends StandardSchemaV1 ? InferOutput<F> | undefined : never;
// oxlint-disable-next-line typescript/no-explicit-any -- as above
type UpdateOf<F> = F extends Reducer<any, infer U> ? U : F extends StandardSchemaV1 ? InferInput<F> : never;

/** What nodes read of such fields. */
export type StateOf<F extends Fields> = { readonly [K in keyof F]: ValueOf<F[K]> };
/** What nodes write: some of the fields. */
export type UpdateFor<F extends Fields> = { readonly [K in keyof F]?: UpdateOf<F[K]> };

type State = unknown;

/** The state of a state graph as its supersteps see it. Pure, all of it. */
export interface StateModel {
  /** Before the first update: accumulators. */
  readonly initial: State;
  /** Names of the fields; null: there is one function over all of it. */
  readonly fields: readonly string[] | null;
  /** Of the functions that it is folded by, under the names of their fields. Of those that state a version, only the name. */
  readonly texts: readonly string[];
  /** By field: what its reducer states. */
  readonly versions: readonly (readonly [field: string, version: string])[];
  /** Folds updates, in that order, into a new state. @throws FoldError when a reducer throws */
  merge(state: State, updates: readonly unknown[]): State;
  /** What nodes read of it. */
  view(state: State): unknown;
  /**
   * An update as it is folded.
   *
   * @throws MillraceError `UnknownField`, `InvalidValue`
   */
  check(node: string, update: unknown): unknown;
}

/** A reducer threw, or gave a promise. */
export class FoldError extends Error {
  /** Which of the updates; and of which field, null for `merge`. */
  readonly at: number;
  readonly field: string | null;

  constructor(at: number, field: string | null, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.at = at;
    this.field = field;
  }
}

type Record_ = Readonly<Record<string, unknown>>;

export function fieldsModel(graph: string, fields: Fields): StateModel {
  const reducers = new Map<string, Reducer<unknown, unknown>>();
  const schemas = new Map<string, StandardSchemaV1>();
  for (const [name, field] of Object.entries(fields)) {
    checkField(graph, name);
    if (isSchema(field)) schemas.set(name, field);
    else if (isReducer(field)) reducers.set(name, field);
    else throw notAField(graph, name);
    if (!isSchema(field)) checkVersion(`field ${name} of state graph ${graph}`, field.version);
  }
  const names = [...reducers.keys(), ...schemas.keys()];
  const initial: Record<string, unknown> = {};
  for (const [name, { init }] of reducers) initial[name] = init;
  // Else a field that nobody wrote would be read as what every object has.
  for (const name of schemas.keys()) if (name in initial) initial[name] = undefined;
  const views = [...reducers].filter(([, reducer]) => reducer.view !== undefined);
  return {
    initial: Object.freeze(initial),
    fields: names,
    texts: [...reducers].flatMap(([name, reducer]) => [name, ...(hasVersion(reducer) ? [] : textsOf(reducer))]),
    versions: [...reducers].flatMap(([name, { version = "" }]) => (version === "" ? [] : [[name, version] as const])),
    merge: (state, updates) => mergeFields(reducers, state as Record_, updates as readonly Record_[]),
    view: (state) => (views.length === 0 ? state : viewed(graph, views, state as Record_)),
    check: (node, update) => checkUpdate(graph, names, schemas, node, update),
  };
}

function hasVersion({ version = "" }: Reducer<unknown, unknown>): boolean {
  return version !== "";
}

function checkField(graph: string, name: string): void {
  if (name !== "" && name !== "__proto__" && !name.startsWith("$")) return;
  throw buildError(
    `state graph ${graph} has a field called ${JSON.stringify(name)}`,
    "fields are not empty, not __proto__, and begin with no $",
    "BadName",
  );
}

function isReducer(field: unknown): field is Reducer<unknown, unknown> {
  return (
    typeof field === "object" &&
    field !== null &&
    "init" in field &&
    typeof (field as { reduce?: unknown }).reduce === "function"
  );
}

function notAField(graph: string, name: string): Error {
  return buildError(
    `field ${name} of state graph ${graph} has no reducer`,
    "give one of append(), add(), last(value), …, or { init, reduce }, or a Standard Schema",
  );
}

/** A field that grows is copied once, however many updates there are: a list copied at each would take quadratic time. */
function mergeFields(
  reducers: ReadonlyMap<string, Reducer<unknown, unknown>>,
  state: Record_,
  updates: readonly Record_[],
): Record_ {
  if (updates.length === 0) return state;
  const next: Record<string, unknown> = { ...state };
  const written = new Set<string>();
  for (const [at, update] of updates.entries())
    for (const name of Object.keys(update)) {
      const value = update[name];
      // A key that is there without a value says nothing, as an absent one.
      if (value === undefined) continue;
      try {
        next[name] = folded(reducers.get(name), next[name], value, written.has(name));
      } catch (error) {
        throw new FoldError(at, name, error);
      }
      written.add(name);
    }
  for (const name of written) if (reducers.has(name)) kept(next[name]);
  return Object.freeze(next);
}

/** `own`: the accumulator was made for this state, and nobody else has it yet. */
function folded(
  reducer: Reducer<unknown, unknown> | undefined,
  before: unknown,
  value: unknown,
  own: boolean,
): unknown {
  if (reducer === undefined) return value;
  const { grow } = reducer;
  if (grow === undefined) return kept(syncOnly(reducer.reduce(before, value), "a reducer"));
  const accumulator = own ? before : grow.copy(before);
  grow.add(accumulator, value);
  return accumulator;
}

/** Nodes of one superstep read the same state: none may change it for the others. What cannot be frozen, a Map, say, can be changed. */
export function kept(value: unknown): unknown {
  deepFreeze(value);
  return value;
}

function viewed(
  graph: string,
  views: readonly (readonly [string, Reducer<unknown, unknown>])[],
  state: Record_,
): Record_ {
  const seen: Record<string, unknown> = { ...state };
  for (const [name, reducer] of views) seen[name] = viewOf(graph, name, reducer, state[name]);
  return Object.freeze(seen);
}

function viewOf(graph: string, field: string, reducer: Reducer<unknown, unknown>, accumulator: unknown): unknown {
  try {
    return kept(syncOnly(reducer.view?.(accumulator), "a view"));
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw errorOf("ReducerThrew.view", { graph, field, message }, error);
  }
}

function checkUpdate(
  graph: string,
  names: readonly string[],
  schemas: ReadonlyMap<string, StandardSchemaV1>,
  node: string,
  update: unknown,
): unknown {
  if (typeof update !== "object" || update === null || Array.isArray(update))
    throw errorOf("UnknownField.record", { graph, node });
  for (const name of Object.keys(update))
    if (!names.includes(name)) throw errorOf("UnknownField", { graph, node, field: name, fields: names.join(", ") });
  if (schemas.size === 0) return update;
  const checked: Record<string, unknown> = { ...update };
  for (const [name, schema] of schemas)
    if (Object.hasOwn(checked, name) && checked[name] !== undefined)
      checked[name] = valid(schema, checked[name], `${name} written by ${node} of ${graph}`);
  return checked;
}

/** @throws MillraceError `InvalidValue` */
export function valid(schema: StandardSchemaV1, value: unknown, what: string): unknown {
  const result = schema["~standard"].validate(value);
  if (result instanceof Promise) throw errorOf("InvalidValue.asyncState", { what });
  if (result.issues === undefined) return result.value;
  const issues = result.issues.map(({ message, path = [] }) => {
    const at = path.map((part) => String(typeof part === "object" ? part.key : part)).join(".");
    return at === "" ? message : `${at}: ${message}`;
  });
  throw errorOf("InvalidValue", { what, issues: issues.join("; ") });
}

/** One function over the whole state. */
export function mergeModel(initial: unknown, merge: (state: unknown, update: unknown) => unknown): StateModel {
  return {
    initial: kept(initial),
    fields: null,
    texts: [String(merge)],
    versions: [],
    merge: (state, updates) => updates.reduce((now, update, at) => mergeOne(merge, now, update, at), state),
    view: (state) => state,
    check: (_node, update) => update,
  };
}

function mergeOne(
  merge: (state: unknown, update: unknown) => unknown,
  now: unknown,
  update: unknown,
  at: number,
): unknown {
  try {
    return kept(syncOnly(merge(now, update), "merge"));
  } catch (error) {
    throw new FoldError(at, null, error);
  }
}
