import { buildError } from "../base/error.ts";
import { writtenIn } from "../model/body-around.ts";
import type { OpDef } from "../model/op.ts";
import type { OpKind, OpSpec } from "../model/op-spec.ts";
import type { Needs } from "../model/resource.ts";
import type { StandardSchemaV1 } from "../model/standard-schema.ts";
import { contextOf } from "./caller-context.ts";
import { checkChoice, checkKeys, checkVersion } from "./options.ts";
import { needsOf } from "./resource.ts";
import { isSchema } from "./shape.ts";

/** The options of an op as written; what they hold is checked here. */
export type WrittenOp = OpDef<StandardSchemaV1 | undefined, StandardSchemaV1 | undefined, Needs>;
export type Body = (input: never, ctx: never) => unknown;

const OPTION_KEYS = [
  "input",
  "output",
  "retry",
  "timeout",
  "onFailure",
  "cache",
  "effect",
  "version",
  "stream",
  "async",
  "onResume",
  "bound",
  "transient",
  "needs",
  "context",
];

function checkOptions(where: string, options: WrittenOp): void {
  checkKeys(where, options, OPTION_KEYS);
  for (const key of ["input", "output"] as const) {
    if (options[key] !== undefined && !isSchema(options[key])) {
      throw buildError(
        `${key} of ${where} is not a schema`,
        "give a Standard Schema, such as z.object({ … }) (https://standardschema.dev)",
        "NotASchema",
      );
    }
  }
  checkVersion(where, options.version);
}

/** Checks what an op was declared with and puts it into the form the runtime reads. Frozen. */
export function specOf(name: string, options: WrittenOp, body: Body): OpSpec {
  const where = `op ${name}`;
  checkOptions(where, options);
  const kind = kindOf(where, options, body);
  const { retry, timeout, onFailure, cache } = options;
  const user = writtenIn(body);
  return Object.freeze({
    name,
    kind,
    run: body,
    ...(user !== undefined && { around: user }),
    input: options.input ?? null,
    output: options.output ?? null,
    effect: checkChoice(where, "effect", options.effect ?? "idempotent", ["pure", "idempotent", "unsafe"]),
    version: options.version ?? "",
    onResume: onResumeOf(where, options, kind),
    transient: transientOf(where, options, kind),
    bound: boundOf(where, options, kind),
    policies: Object.freeze({
      ...(retry !== undefined && { retry }),
      ...(timeout !== undefined && { timeout }),
      ...(onFailure !== undefined && { onFailure }),
      ...(cache !== undefined && { cache }),
    }),
    needs: needsOf(where, options.needs),
    context: contextOf(where, options.context),
  });
}

/** What crosses to a worker is data: one output, and nothing that lives in this thread. */
function boundOf(where: string, { bound, needs }: WrittenOp, kind: OpKind): "cpu" | null {
  if (bound === undefined) return null;
  checkChoice(where, "bound", bound, ["cpu"]);
  if (kind === "generator" || kind === "asyncGenerator")
    throw buildError(
      `${where} is bound to the cpu, but its output is a stream`,
      "let it return a list, and wrap that in each(); or bind the ops that work on its items",
    );
  if (needs !== undefined)
    throw buildError(
      `${where} is bound to the cpu and has needs, but resources cannot go to another thread`,
      "pass what it needs as data, or make its clients in its module",
    );
  return bound;
}

function transientOf(where: string, { transient }: WrittenOp, kind: OpKind): boolean {
  if (transient === undefined) return false;
  if (kind !== "generator" && kind !== "asyncGenerator")
    throw buildError(
      `transient of ${where} is set, but its output is not a stream`,
      "leave it out, or make the body a generator",
    );
  const written: unknown = transient;
  if (written === true) return true;
  throw buildError(`transient of ${where} is ${JSON.stringify(written)}`, "write transient: true, or leave it out");
}

function onResumeOf(where: string, { onResume, effect }: WrittenOp, kind: OpKind): OpSpec["onResume"] {
  if (onResume === undefined) return "verify";
  if (kind !== "generator" && kind !== "asyncGenerator")
    throw buildError(
      `onResume of ${where} is set, but its output is not a stream`,
      "leave it out, or make the body a generator",
    );
  checkChoice(where, "onResume", onResume, ["verify", "cursor", "fail", "ephemeral"]);
  if (onResume === "ephemeral" && effect === "unsafe")
    throw buildError(
      `${where} is unsafe, and onResume: "ephemeral" begins it again after a crash`,
      "declare what it does as idempotent, or leave onResume out: then the run asks what became of it",
    );
  return onResume;
}

/** Known from how the function is declared, so that nothing about a node changes at run time. */
function kindOf(where: string, options: WrittenOp, body: Body): OpKind {
  for (const key of ["stream", "async"] as const) {
    const flag: unknown = options[key];
    if (flag === undefined || flag === true) continue;
    throw buildError(`${key} of ${where} is ${JSON.stringify(flag)}`, `write ${key}: true, or leave it out`);
  }
  const declared = (body as { readonly [Symbol.toStringTag]?: string })[Symbol.toStringTag];
  if (declared === "GeneratorFunction") return "generator";
  if (declared === "AsyncGeneratorFunction") return "asyncGenerator";
  if (options.stream === undefined) {
    const later = declared === "AsyncFunction" || options.async === true || options.bound === "cpu";
    return later ? "async" : "inline";
  }
  if (declared === "AsyncFunction" || options.async === true)
    throw buildError(
      `${where} is a stream, but its body returns a promise`,
      "declare it async function*, or return a generator from a plain function",
    );
  return "asyncGenerator";
}
