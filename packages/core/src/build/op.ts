import { buildError, errorOf } from "../base/error.ts";
import type { BodyInput, BodyOut, BodyResult, CallInput, CallOptions, Op, OpCtx, OpDef, OpOut } from "../model/op.ts";
import { noStore } from "../model/no-store.ts";
import type { OpSpec } from "../model/op-spec.ts";
import type { Needs, NoNeeds } from "../model/resource.ts";
import type { Log } from "../model/log.ts";
import type { StandardSchemaV1 } from "../model/standard-schema.ts";
import { noLabels } from "../model/tags.ts";
import type { Scope } from "../model/scope.ts";
import { callOp } from "./call.ts";
import { define, type OpDefinition } from "./definition.ts";
import { checkName } from "./names.ts";
import { specOf, type Body, type WrittenOp } from "./op-options.ts";
import { refuseUncacheable } from "./cache-policy.ts";
import { mergePolicies, refuseInlineTimeout } from "./policies.ts";

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
export function op<
  I,
  R extends BodyResult<Y>,
  X extends StandardSchemaV1 | undefined = undefined,
  Y extends StandardSchemaV1 | undefined = undefined,
  N extends Needs = NoNeeds,
  C = unknown,
>(
  name: string,
  options: OpDef<X, Y, N, C>,
  body: (input: BodyInput<X, I>, ctx: OpCtx<N, C>) => R,
): Op<CallInput<X, I>, OpOut<R, Y>>;
export function op(name: string, ...rest: readonly unknown[]): Op<never, unknown> {
  checkName("an op", name);
  const [options, body] = (rest.length === 1 ? [{}, rest[0]] : rest) as [WrittenOp, Body];
  if (typeof body !== "function")
    throw buildError(`op ${name} has no body`, `write op("${name}", { … }, input => output)`);
  return defined(name, specOf(name, options, body));
}

/** A decision of the engine itself: a body that computes what is recorded, and nothing that would be missed if it were lost. */
export function decisionOp<I, O>(name: string, body: (input: I) => O): Op<I, O> {
  return defined(name, { ...specOf(name, { effect: "pure" }, body), ahead: true }) as unknown as Op<I, O>;
}

function defined(name: string, spec: OpSpec): Op<never, unknown> {
  const where = `op ${name}`;
  const definition: OpDefinition = {
    type: "op",
    name,
    spec,
    policies: mergePolicies(where, spec.policies, {}),
    plan: null,
  };
  refuseInlineTimeout(where, spec.kind, definition.policies);
  refuseUncacheable(where, spec, definition.policies);
  return callableOf(definition);
}

function callableOf(definition: OpDefinition): Op<never, unknown> {
  const { name, spec } = definition;
  const call = (input?: unknown, options?: CallOptions<Scope>): unknown => callOp(definition, input, options);
  const fn = (input: never, ctx?: Partial<OpCtx<Needs>>): unknown => spec.run(input, standInCtx(name, ctx) as never);
  Object.defineProperties(call, { name: { value: name }, fn: { value: fn } });
  define(call, definition);
  return Object.freeze(call) as unknown as Op<never, unknown>;
}

const nothing = (): void => undefined;
const silent: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing };

function standInCtx(name: string, ctx: Partial<OpCtx<Needs>> = {}): OpCtx<Needs> {
  return {
    runId: "test",
    thread: undefined,
    graph: name,
    node: name,
    path: name,
    attempt: 1,
    idempotencyKey: `test:${name}`,
    signal: new AbortController().signal,
    deadline: undefined,
    resumeFrom: undefined,
    log: silent,
    resources: {},
    spend: nothing,
    secret: ({ name: secret }) => {
      throw errorOf("SecretMissing.alone", { node: name, name: secret });
    },
    store: noStore(() => errorOf("StoreMissing.alone", { node: name })),
    context: undefined,
    traceId: undefined,
    labels: noLabels,
    ...ctx,
  };
}
