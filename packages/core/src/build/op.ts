import { buildError } from "../base/error.ts";
import type { BodyInput, BodyOut, BodyResult, CallInput, CallOptions, Op, OpCtx, OpDef, OpOptions, OpOut } from "../model/op.ts";
import type { OpKind, OpSpec } from "../model/op-spec.ts";
import type { StandardSchemaV1 } from "../model/standard-schema.ts";
import type { Scope } from "../model/scope.ts";
import { callOp } from "./call.ts";
import { define, type OpDefinition } from "./definition.ts";
import { checkName } from "./names.ts";
import { checkChoice, checkKeys, notBuiltYet } from "./options.ts";
import { mergePolicies, refuseInlineTimeout } from "./policies.ts";
import { isSchema } from "./shape.ts";

type Options = OpDef<StandardSchemaV1 | undefined, StandardSchemaV1 | undefined>;
type Body = (input: never, ctx: never) => unknown;

const OPTION_KEYS = ["input", "output", "retry", "timeout", "onFailure", "effect", "version", "stream", "async", "onResume"];
const LATER: ReadonlyMap<string, string> = new Map([
  ["needs", "create the client outside and use it in the body for now"],
  ["context", "pass the values as inputs for now"],
  ["cache", "leave it out; every call runs"],
  ["bound", "leave it out; bodies run on the main thread"],
  ["transient", "leave it out; every item is recorded"],
]);

/**
 * A unit of work: `name`, options, and a body `(input, ctx) => output`. A generator's output is a stream of what it
 * yields. Calling the op in a graph body makes a node; `fn` runs the body by itself.
 *
 * ```ts
 * const fetchPage = op("fetchPage", { retry: { attempts: 4 }, timeout: { run: "30s" } },
 *   async ({ url }: { url: string }, ctx) => ({ html: await get(url, ctx.signal) }));
 * ```
 *
 * A plain function runs inline and may return a promise, but only a body declared `async` (or marked
 * `{ async: true }`) can be timed out. Wrong options are a `BuildError`.
 */
export function op<I, R>(name: string, body: (input: I, ctx: OpCtx) => R): Op<I, BodyOut<R>>;
export function op<I, R extends BodyResult<Y>, X extends StandardSchemaV1 | undefined = undefined, Y extends StandardSchemaV1 | undefined = undefined>(
  name: string,
  options: OpDef<X, Y>,
  body: (input: BodyInput<X, I>, ctx: OpCtx) => R,
): Op<CallInput<X, I>, OpOut<R, Y>>;
export function op(name: string, ...rest: readonly unknown[]): Op<never, unknown> {
  checkName("an op", name);
  const [options, body] = (rest.length === 1 ? [{}, rest[0]] : rest) as [Options, Body];
  if (typeof body !== "function") throw buildError(`op ${name} has no body`, `write op("${name}", { … }, input => output)`);
  const where = `op ${name}`;
  checkOptions(where, options);
  const spec = Object.freeze(specOf(where, name, options, body));
  const definition: OpDefinition = { type: "op", name, spec, policies: mergePolicies(where, spec.policies, {}), plan: null };
  refuseInlineTimeout(where, spec.kind, definition.policies);
  return callableOf(definition);
}

function callableOf(definition: OpDefinition): Op<never, unknown> {
  const { name, spec } = definition;
  const call = (input?: unknown, options?: CallOptions<Scope>): unknown => callOp(definition, input, options);
  const fn = (input: never, ctx?: Partial<OpCtx>): unknown => spec.run(input, standInCtx(name, ctx) as never);
  Object.defineProperties(call, { name: { value: name }, fn: { value: fn } });
  define(call, definition);
  return Object.freeze(call) as unknown as Op<never, unknown>;
}

function standInCtx(name: string, ctx: Partial<OpCtx> = {}): OpCtx {
  return { runId: "test", node: name, path: name, attempt: 1, idempotencyKey: `test:${name}`, signal: new AbortController().signal, deadline: undefined, ...ctx };
}

function checkOptions(where: string, options: Options): void {
  checkKeys(where, options, [...OPTION_KEYS, ...LATER.keys()]);
  for (const key of Object.keys(options)) {
    const hint = LATER.get(key);
    if (hint !== undefined) throw notBuiltYet(where, key, hint);
  }
  for (const key of ["input", "output"] as const) {
    if (options[key] !== undefined && !isSchema(options[key])) {
      throw buildError(`${key} of ${where} is not a schema`, "give a Standard Schema, such as z.object({ … }) (https://standardschema.dev)");
    }
  }
  if (options.version !== undefined && typeof options.version !== "string") throw buildError(`version of ${where} is not a string`, 'write version: "2"');
}

function specOf(where: string, name: string, options: Options, body: Body): OpSpec {
  const kind = kindOf(where, options, body);
  const { retry, timeout, onFailure } = options;
  return {
    name,
    kind,
    run: body,
    input: options.input ?? null,
    output: options.output ?? null,
    effect: effectOf(where, options),
    version: options.version ?? "",
    onResume: onResumeOf(where, options, kind),
    transient: false,
    policies: Object.freeze({ ...(retry !== undefined && { retry }), ...(timeout !== undefined && { timeout }), ...(onFailure !== undefined && { onFailure }) }),
  };
}

function effectOf(where: string, { effect = "idempotent" }: Options): OpSpec["effect"] {
  checkChoice(where, "effect", effect, ["pure", "idempotent", "unsafe"]);
  if (effect !== "unsafe") return effect;
  throw notBuiltYet(where, 'effect: "unsafe"', "a crash may run the body twice; make it idempotent with ctx.idempotencyKey");
}

function onResumeOf(where: string, { onResume }: OpOptions, kind: OpKind): OpSpec["onResume"] {
  if (onResume === undefined) return "verify";
  if (kind !== "generator" && kind !== "asyncGenerator") throw buildError(`onResume of ${where} is set, but its output is not a stream`, "leave it out, or make the body a generator");
  checkChoice(where, "onResume", onResume, ["verify", "cursor", "fail", "ephemeral"]);
  if (onResume === "verify") return onResume;
  throw notBuiltYet(where, `onResume: "${onResume}"`, 'leave it out: "verify" runs the generator again and compares what it yields');
}

/** Known from how the function is declared, so that nothing about a node changes at run time. */
function kindOf(where: string, options: OpOptions, body: Body): OpKind {
  if (options.stream !== undefined && options.stream !== true) throw buildError(`stream of ${where} is ${String(options.stream)}`, "write stream: true, or leave it out");
  if (options.async !== undefined && options.async !== true) throw buildError(`async of ${where} is ${String(options.async)}`, "write async: true, or leave it out");
  const declared = (body as { readonly [Symbol.toStringTag]?: string })[Symbol.toStringTag];
  if (declared === "GeneratorFunction") return "generator";
  if (declared === "AsyncGeneratorFunction") return "asyncGenerator";
  if (options.stream === undefined) return declared === "AsyncFunction" || options.async === true ? "async" : "inline";
  if (declared === "AsyncFunction" || options.async === true) throw buildError(`${where} is a stream, but its body returns a promise`, "declare it async function*, or return a generator from a plain function");
  return "asyncGenerator";
}
