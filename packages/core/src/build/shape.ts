import type { StandardSchemaV1 } from "../model/standard-schema.ts";

/** The keys of a record, as far as a schema tells. */
export interface Shape {
  readonly keys: readonly string[];
  /** Keys that must be given. */
  readonly required: ReadonlySet<string>;
  /** The shape of the value at `key`, or null when it is not known to be a record with fixed keys. */
  field(key: string): Shape | null;
}

type Side = "input" | "output";
const known: Record<Side, WeakMap<object, Shape | null>> = { input: new WeakMap(), output: new WeakMap() };

/**
 * The keys that a schema accepts (`input`) or produces (`output`), or null when it does not tell. Reads zod's `shape`,
 * else the JSON Schema that `~standard.jsonSchema` derives (https://standardschema.dev/json-schema).
 */
export function shapeOf(schema: StandardSchemaV1 | null, side: Side): Shape | null {
  if (schema === null) return null;
  let shape = known[side].get(schema);
  if (shape === undefined) {
    shape = zodShape(schema as ZodLike, side) ?? jsonShape(derived(schema, side));
    known[side].set(schema, shape);
  }
  return shape;
}

export function isSchema(value: unknown): value is StandardSchemaV1 {
  return value !== null && (typeof value === "object" || typeof value === "function") && "~standard" in value;
}

/** Where zod 4 keeps what its own JSON Schema converter reads. */
const ZOD = "_zod";

interface ZodLike {
  readonly shape?: unknown;
  readonly [ZOD]?: ZodInternals;
}

interface ZodInternals {
  /** `optional` or `defaulted` when the key may be missing. */
  readonly optin?: unknown;
  /** `catchall` is the schema of other keys: `never` refuses them, absent strips them. */
  readonly def?: { readonly type?: unknown; readonly catchall?: ZodLike };
}

function zodShape(schema: ZodLike, side: Side): Shape | null {
  const { shape } = schema;
  const internals = schema[ZOD];
  if (internals === undefined || !isRecord(shape)) return null;
  const rest = internals.def?.catchall?.[ZOD]?.def?.type;
  if (rest !== undefined && rest !== "never") return null;
  const keys = Object.keys(shape);
  const required = new Set(keys.filter((key) => (shape[key] as ZodLike)[ZOD]?.optin === undefined));
  return {
    keys,
    required,
    field: (key) => (Object.hasOwn(shape, key) ? shapeOf(shape[key] as StandardSchemaV1, side) : null),
  };
}

function derived(schema: StandardSchemaV1, side: Side): unknown {
  const { jsonSchema } = schema["~standard"] as {
    readonly jsonSchema?: Readonly<Record<Side, (options: { target: string }) => unknown>>;
  };
  if (jsonSchema === undefined) return undefined;
  try {
    return jsonSchema[side]({ target: "draft-2020-12" });
  } catch {
    return undefined; // The specification lets a library throw for what JSON Schema cannot say.
  }
}

function jsonShape(schema: unknown): Shape | null {
  if (!isRecord(schema) || schema["type"] !== "object" || !isRecord(schema["properties"])) return null;
  if ("allOf" in schema || "patternProperties" in schema) return null;
  const open = schema["additionalProperties"];
  if (open !== undefined && open !== false) return null;
  const properties = schema["properties"];
  const required = new Set(Array.isArray(schema["required"]) ? (schema["required"] as string[]) : []);
  return {
    keys: Object.keys(properties),
    required,
    field: (key) => (Object.hasOwn(properties, key) ? jsonShape(properties[key]) : null),
  };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
