import type { Plan, ScopePlan, SlotPlan, Source, StreamPlan, Template } from "../model/plan.ts";
import { MillraceError } from "../base/error.ts";
import { tablesOf, type Tables } from "./tables.ts";
import { enclosing } from "./context.ts";
import { loopTableOf, type LoopTable } from "./loop-table.ts";
import { sequelsOf, type Sequel } from "./sequel.ts";
import { fieldReader, shapeReader, type Reader } from "./shapes.ts";

export type { Reader };

export type OpBody = (input: unknown, ctx: unknown) => unknown;

/** A plan with its templates compiled to readers: made once per plan, shared by its runs. */
export interface Program {
  readonly plan: Plan;
  /** The plan's, in arrays that are not frozen: an element of a frozen one is read by a call. */
  readonly slots: readonly SlotPlan[];
  readonly scopes: readonly ScopePlan[];
  /** By slot id: the collectors that watch it. */
  readonly watchers: readonly (readonly SlotPlan[])[];
  /** By scope id: itself and the scopes around it without the run, from the outermost inward. */
  readonly around: readonly (readonly ScopePlan[])[];
  /** By slot id. */
  readonly readers: readonly Reader[];
  /** By scope id: the states of a fresh context. Copies of frozen arrays are slow to copy again. */
  readonly initial: readonly number[][];
  /** By scope id: the values of a fresh context, all undefined. */
  readonly blank: readonly unknown[][];
  readonly tables: Tables;
  /** By stream id: ordered ops that are not in the item itself but in a block of it. */
  readonly orderedInBlocks: readonly (readonly SlotPlan[])[];
  /** By slot id. */
  readonly loops: readonly (LoopTable | null)[];
  /** By slot id. */
  readonly sequels: readonly (Sequel | null)[];
  /** By slot id: the bodies of ops. */
  readonly bodies: readonly OpBody[];
}

const programs = new WeakMap<Plan, Program>();

export function programOf(plan: Plan): Program {
  let program = programs.get(plan);
  if (program === undefined) {
    const tables = tablesOf(plan);
    program = {
      plan,
      slots: plan.slots.slice(),
      scopes: plan.scopes.slice(),
      watchers: plan.slots.map((slot) => slot.watchers.map((id) => plan.slots[id] as SlotPlan)),
      around: plan.scopes.map((scope) => scopesAround(plan, scope)),
      readers: plan.slots.map((slot) => readerOf(plan, slot)),
      initial: plan.scopes.map((scope) => Array.from(scope.missing)),
      blank: plan.scopes.map((scope) => scope.missing.map(() => undefined)),
      tables,
      orderedInBlocks: plan.streams.map((stream) => orderedInBlocks(plan, stream)),
      loops: plan.slots.map((slot) => loopTableOf(plan, tables, slot)),
      sequels: sequelsOf(plan, tables),
      bodies: plan.slots.map((slot) => (slot.op?.run ?? notAnOp) as OpBody),
    };
    programs.set(plan, program);
  }
  return program;
}

function orderedInBlocks(plan: Plan, { itemScope, lanes }: StreamPlan): SlotPlan[] {
  return lanes.map((id) => plan.slots[id] as SlotPlan).filter(({ ordered, scope }) => ordered && scope !== itemScope);
}

function scopesAround({ scopes }: Plan, inner: ScopePlan): ScopePlan[] {
  const around: ScopePlan[] = [];
  for (let at: ScopePlan | undefined = inner; at !== undefined && at.parent >= 0; at = scopes[at.parent])
    around.unshift(at);
  return around;
}

function notAnOp(): never {
  throw new Error("only ops have bodies");
}

function readerOf(plan: Plan, slot: SlotPlan): Reader {
  return slot.inputs === null ? () => undefined : compile(plan, slot, slot.inputs);
}

/** Reads `template` as `slot` would. */
export function compile(plan: Plan, slot: SlotPlan, template: Template): Reader {
  switch (template.type) {
    case "constant": {
      const { value } = template;
      return () => value;
    }
    case "source":
      return sourceReader(plan, slot, template.source);
    case "object":
      return objectReader(
        template.keys,
        template.values.map((value) => compile(plan, slot, value)),
      );
    case "array": {
      const items = template.items.map((item) => compile(plan, slot, item));
      return arrayReader(items);
    }
  }
}

/** A loop: `map` calls a function per item. */
function arrayReader(items: readonly Reader[]): Reader {
  return (context) => {
    const array: unknown[] = [];
    for (let i = 0; i < items.length; i++) array.push((items[i] as Reader)(context));
    return array;
  };
}

function objectReader(keys: readonly string[], values: readonly Reader[]): Reader {
  if (keys.includes("__proto__")) return protoSafeReader(keys, values);
  return shapeReader(keys, values) ?? anyShapeReader(keys, values);
}

/** For whatever has no line of its own. Assigned, not written as a literal with computed keys: that becomes a call into the runtime. */
function anyShapeReader(keys: readonly string[], values: readonly Reader[]): Reader {
  return (context) => {
    const object: Record<string, unknown> = {};
    for (let i = 0; i < keys.length; i++) object[keys[i] as string] = (values[i] as Reader)(context);
    return object;
  };
}

/** An own `__proto__` key must be defined, never assigned. */
function protoSafeReader(keys: readonly string[], values: readonly Reader[]): Reader {
  return (context) => {
    const object = {};
    keys.forEach((key, i) => {
      Object.defineProperty(object, key, {
        value: (values[i] as Reader)(context),
        enumerable: true,
        configurable: true,
        writable: true,
      });
    });
    return object;
  };
}

/**
 * Reads one value. Nothing is read before its slot resolved with a value (or untaken, with undefined): that is what
 * dependencies are for, so the slot's state is not looked at again.
 */
function sourceReader(plan: Plan, slot: SlotPlan, source: Source): Reader {
  const from = plan.slots[source.slot] as SlotPlan;
  const { path } = source;
  const read = source.strict ? strictReader(plan, from, path) : (value: unknown): unknown => readPath(value, path);
  if (from.scope === slot.scope) return localReader(from.local, path, read);
  const { local } = from;
  const depth = plan.scopes[from.scope]?.depth ?? 0;
  return (context) => read(enclosing(context, depth).values[local]);
}

/** The common case by itself: one field of a value of the same context. */
function localReader(local: number, path: readonly string[], read: (value: unknown) => unknown): Reader {
  const [field = ""] = path;
  if (path.length === 0) return (context) => context.values[local];
  if (path.length > 1 || field === "__proto__") return (context) => read(context.values[local]);
  const slow: Reader = (context) => read(context.values[local]);
  return fieldReader(local, field, slow) ?? slow;
}

/** The first field must be there: a direct output of an op without an output schema. */
function strictReader(plan: Plan, from: SlotPlan, path: readonly string[]): (value: unknown) => unknown {
  const [first = ""] = path;
  return (value) => {
    if (value === null || value === undefined || !(first in Object(value)))
      throw missingKey(plan.slots[from.anchor] ?? from, first, value);
    return readPath(value, path);
  };
}

/** An edge failed at a source that is known: its failure is reported there. */
export class EdgeError extends MillraceError {
  readonly slot: number;

  constructor(slot: number, message: string) {
    super("EdgeFailed", message);
    this.slot = slot;
  }
}

function missingKey(from: SlotPlan, key: string, value: unknown): EdgeError {
  const keys = value !== null && typeof value === "object" ? Object.keys(value) : [];
  const has =
    keys.length > 0 ? `its keys are ${keys.join(", ")}` : `its value is ${value === null ? "null" : typeof value}`;
  return new EdgeError(from.id, `the output of "${from.name}" has no key "${key}"; ${has}`);
}

function readPath(value: unknown, path: readonly string[]): unknown {
  let at = value;
  for (const key of path) {
    if (at === null || at === undefined) return undefined;
    at = readField(at, key);
  }
  return at;
}

/** Methods that every object inherits are not fields: `out.constructor` and `out.toString` are absent unless own. */
function readField(value: unknown, key: string): unknown {
  const field = (value as Record<string, unknown>)[key];
  if ((typeof field === "function" || key === "__proto__") && !Object.hasOwn(Object(value), key)) return undefined;
  return field;
}
