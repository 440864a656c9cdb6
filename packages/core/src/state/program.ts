import type { Plan, SlotPlan, Source, Template } from "../model/plan.ts";
import { MillraceError } from "../base/error.ts";
import { enclosing, type Context } from "./context.ts";
import { Resolution } from "./resolution.ts";

/** Puts the input of a slot together from the values its context can see. */
export type Reader = (context: Context) => unknown;

/** A plan with its templates compiled to readers: made once per plan, shared by its runs. */
export interface Program {
  readonly plan: Plan;
  /** By slot id. */
  readonly readers: readonly Reader[];
  /** By scope id: the states of a fresh context. Copies of frozen arrays are slow to copy again. */
  readonly initial: readonly number[][];
}

const programs = new WeakMap<Plan, Program>();

export function programOf(plan: Plan): Program {
  let program = programs.get(plan);
  if (program === undefined) {
    program = {
      plan,
      readers: plan.slots.map((slot) => readerOf(plan, slot)),
      initial: plan.scopes.map((scope) => Array.from(scope.missing)),
    };
    programs.set(plan, program);
  }
  return program;
}

function readerOf(plan: Plan, slot: SlotPlan): Reader {
  return slot.inputs === null ? () => undefined : compile(plan, slot, slot.inputs);
}

function compile(plan: Plan, slot: SlotPlan, template: Template): Reader {
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
      return (context) => items.map((item) => item(context));
    }
  }
}

function objectReader(keys: readonly string[], values: readonly Reader[]): Reader {
  if (keys.includes("__proto__")) return protoSafeReader(keys, values);
  const [key = ""] = keys;
  const [value] = values;
  if (keys.length === 1 && value !== undefined) return (context) => ({ [key]: value(context) });
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

function sourceReader(plan: Plan, slot: SlotPlan, source: Source): Reader {
  const from = plan.slots[source.slot] as SlotPlan;
  const { local } = from;
  const depth = plan.scopes[from.scope]?.depth ?? 0;
  const here = from.scope === slot.scope;
  const { path, strict } = source;
  const whole: Reader = here
    ? (context) => (context.states[local] === Resolution.value ? context.values[local] : undefined)
    : (context) => {
        const owner = enclosing(context, depth);
        return owner.states[local] === Resolution.value ? owner.values[local] : undefined;
      };
  if (path.length === 0) return whole;
  const [first = ""] = path;
  if (!strict) return (context) => readPath(whole(context), path);
  return (context) => {
    const value = whole(context);
    if (value === null || value === undefined || !(first in Object(value)))
      throw missingKey(plan.slots[from.anchor] ?? from, first, value);
    return path.length === 1 ? readField(value, first) : readPath(value, path);
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
