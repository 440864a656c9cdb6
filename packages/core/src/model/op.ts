import type { CallerContext } from "./caller-context.ts";
import type { Log } from "./log.ts";
import type { CacheOptions, OpPolicies } from "./policies.ts";
import type { Finding } from "./plan.ts";
import type { Args, Out, RefOf, Stream } from "./ref.ts";
import type { Binding, Needs, NoNeeds, ResourcesOf } from "./resource.ts";
import type { Run, Scope } from "./scope.ts";
import type { InferInput, InferOutput, StandardSchemaV1 } from "./standard-schema.ts";
import type { Secret } from "../secrets/secret.ts";
import type { SecretRef } from "../secrets/secret-ref.ts";
import type { Store } from "./store.ts";
import type { Labels } from "./tags.ts";

declare const input: unique symbol;
declare const output: unique symbol;

/** What a generator had yielded before its run was interrupted: it is expected to yield what comes after. */
export interface ResumePoint {
  /** How many items are recorded, at least 1: the next one is item `count`, counted from 0. */
  readonly count: number;
  /** The last of them, as its consumers saw it. Frozen. */
  readonly last: unknown;
}

/** What an op body is told about the invocation it runs in. Read only. `N`: what the op needs, `C`: what its caller tells it. */
export interface OpCtx<N = NoNeeds, C = unknown> {
  readonly runId: string;
  /** The thread that the run belongs to; undefined: to none. */
  readonly thread: string | undefined;
  /** Name of the graph that runs. */
  readonly graph: string;
  /** Scoped name of the node: `fast/summarise`. */
  readonly node: string;
  /** Where in the run: `nightly/listDocs[3]/parse`. */
  readonly path: string;
  /** 1 for the first try. */
  readonly attempt: number;
  /** The same over attempts and crashes; differs by run, node and item. Give it to services that deduplicate. */
  readonly idempotencyKey: string;
  /** Aborted when the run is cancelled, the attempt times out or the result is no longer wanted. */
  readonly signal: AbortSignal;
  /** When this attempt times out: milliseconds since 1970, UTC. */
  readonly deadline: number | undefined;
  /**
   * Of a generator with `onResume: "cursor"` that goes on after a crash or a drain: where. Undefined when it begins, and in
   * all other bodies.
   */
  readonly resumeFrom: ResumePoint | undefined;
  /** Lines for people, on stderr by default; not journaled. */
  readonly log: Log;
  /** What the engine was given for the op's `needs`, by their keys. */
  readonly resources: ResourcesOf<N>;
  /**
   * Tokens that the body spent of a resource with `tokensPerMinute`: say it as soon as they are known. When a minute's
   * tokens are spent, further bodies wait. Nothing happens to a resource without that limit.
   */
  spend(resource: keyof N & string, tokens: number): void;
  /**
   * What the engine's `secrets` hold under the name now: asked anew by every body, and never journaled. Rejects with
   * `SecretMissing`, or with what the engine's function threw. Not in bodies with `bound: "cpu"`.
   */
  secret(ref: SecretRef): Promise<Secret>;
  /**
   * Memory that runs share: the backend's, or what `openEngine({ store })` names; of an engine without a backend, one of its own.
   * It is no part of the journal: see `Store`. Not in bodies with `bound: "cpu"`.
   */
  readonly store: Store;
  /** What the caller told the run, as the op's `context` gives it out; undefined for an op that asks for none. Frozen. */
  readonly context: C;
  /**
   * What the caller marked the run with; the same after a crash. Meant for logs and requests of the body's own, not for its
   * output: they are no part of the key of `cache`.
   */
  readonly traceId: string | undefined;
  /** Frozen, empty when there are none. */
  readonly labels: Labels;
}

/** Something an engine can run: an op or a graph that takes `I` and gives `O`. */
export interface Runnable<I, O> {
  readonly [input]: (input: I) => void;
  readonly [output]: () => O;
  readonly name: string;
}

/** A unit of work. Call it in a graph body to make a node; call `fn` to run its body as it stands. */
export interface Op<I, O> extends Runnable<I, O> {
  <S extends Scope = Run>(
    ...call: {} extends I
      ? [input?: Args<I, S>, options?: CallOptions<NoInfer<S>>]
      : [input: Args<I, S>, options?: CallOptions<NoInfer<S>>]
  ): Out<O, S>;
  /** The body as it was written, for unit tests: no validation, retry or time limit. `ctx` is filled up with stand-ins. */
  fn(
    input: I,
    ctx?: Partial<OpCtx<Needs>>,
  ): O extends Stream<infer Y> ? AsyncIterable<Y> | Iterable<Y> : O | Promise<O>;
}

/** A frozen wiring of ops. Runs by itself, or as a node of another graph. */
export interface Graph<I, O> extends Op<I, O> {
  readonly plan: GraphPlan;
  /** What its author should know of it: `plan.findings`. */
  readonly findings: readonly Finding[];
}

/** What a graph was built to. */
export interface GraphPlan {
  readonly name: string;
  /** `sha256:` and 64 hex digits. Runs continue only on a graph with the fingerprint they were started on. */
  readonly fingerprint: string;
  readonly findings: readonly Finding[];
  /** A Mermaid flowchart: subgraph calls and streams as boxes. */
  mermaid(): string;
  toJSON(): PlanJson;
}

/** A plan as plain JSON, without functions and schemas. */
export interface PlanJson {
  readonly name: string;
  readonly fingerprint: string;
  readonly nodes: readonly NodeJson[];
  readonly streams: readonly StreamJson[];
  readonly cells: readonly string[];
  readonly findings: readonly Finding[];
}

export interface NodeJson {
  /** Scoped name, or `~` and the slot's number for an edge. */
  readonly id: string;
  readonly kind: string;
  /** The stream whose items it runs for; absent when it runs once per run. */
  readonly per?: string;
  /** The body of a block that it is in: `gate/then`; of a loop or a finalizer, that one's name. */
  readonly in?: string;
  /** Ids it reads, and `after: ` ids it waits for. */
  readonly needs: readonly string[];
  readonly parallel?: number;
  /** Takes the items of its stream in yield order. */
  readonly ordered?: true;
  readonly effect?: string;
  readonly version?: string;
  /** Names of the resources by the op's keys for them. */
  readonly resources?: Readonly<Record<string, string>>;
  readonly cell?: string;
  /** What the bodies of a block are called. */
  readonly arms?: readonly string[];
  /** The most iterations of a loop. */
  readonly max?: number;
  /** Of a question. */
  readonly title?: string;
  /** Milliseconds that a question waits for its answer (absent: for ever), or that a call of a graph may take. */
  readonly timeout?: number;
}

export interface StreamJson {
  readonly segment: string;
  readonly source: string;
  readonly per?: string;
  readonly buffer: number;
  readonly onFull: "wait" | "dropOldest";
}

export type PerItem<S extends Scope, V> = [S] extends [Run]
  ? { readonly "this call runs once; only a call per item of a stream takes this option: wrap a list in each()": never }
  : V;

/**
 * Options of one call. `retry`, `timeout`, `onFailure` and `cache` are merged over the op's, field by field; `parallel`,
 * `buffer`, `ordered` and `onFull` exist only where the call runs per item. A call of a graph takes `name`, `after`,
 * `parallel`, `buffer`, `timeout.total` and `bind`.
 */
export interface CallOptions<S extends Scope> extends OpPolicies {
  /** The node's name in this graph. Default: the op's. `[A-Za-z_][A-Za-z0-9_-]{0,63}`, unique in its naming scope. */
  readonly name?: string;
  /** Wait for these first, without reading them. One of a deeper scope means: for the end of that stream. */
  readonly after?: readonly RefOf<unknown, Scope>[];
  /** Gives whatever is inside another resource: `[Chat.to(Big)]`. From the inside out: the inner call's apply first. */
  readonly bind?: readonly Binding[];
  /** Items at once. Default: that of the nearest graph call that says so, else 1. */
  readonly parallel?: PerItem<S, number>;
  /** Open items that the stream may hold before its producer waits; the smallest of its consumers counts. Default 1,024. */
  readonly buffer?: PerItem<S, number>;
  /** Take items in the order they were made, also if those before this call went on in another. Default: as they come. */
  readonly ordered?: PerItem<S, boolean>;
  /** What a full stream does. Default `wait`. `dropOldest` drops the oldest item in which no op has started. */
  readonly onFull?: PerItem<S, "wait" | "dropOldest">;
}

/** Options of an op: what holds for all its calls. */
export interface OpOptions<N = NoNeeds, C = unknown> extends OpPolicies {
  /**
   * Calls with equal inputs share one output for `ttl`, also over runs. Equal is: the same graph, node, `version`, source
   * text, resources and caller context, and an input that encodes alike. What the body takes from elsewhere is not seen:
   * raise `version` when that changes. Errors are not kept; generators and unsafe ops have no cache.
   */
  readonly cache?: CacheOptions | false;
  /** The resources that the body gets as `ctx.resources`: `{ model: Chat }`. */
  readonly needs?: N;
  /** What the body is told by the caller of the run, as `ctx.context`. */
  readonly context?: CallerContext<C>;
  /** What running a body twice does. Default `idempotent`. `pure` may also run ahead of the journal. */
  readonly effect?: "pure" | "idempotent" | "unsafe";
  /** Part of the fingerprint: raise it when the meaning of the output changes. Default empty. */
  readonly version?: string;
  /** The function returns a generator although it is not declared as one. */
  readonly stream?: true;
  /** The function returns a promise although it is not declared `async`; allows time limits. */
  readonly async?: true;
  /**
   * The body keeps a processor busy: it runs in a worker of the engine's `cpu` executor, so that it holds nobody up and
   * can be stopped. The op must be an export of the module that the executor loads. Its input and output travel encoded;
   * it has no `needs`, and its `ctx.signal` never fires: a worker whose result is not wanted is ended.
   */
  readonly bound?: "cpu";
  /**
   * A stream without an end in sight: nothing keeps its items once they went through, however many there are. They are
   * journaled like any others. The build warns where something would keep them all: a `collect`, or the graph's output.
   */
  readonly transient?: true;
  /**
   * What becomes of a generator whose run goes on in another process, after a crash or a drain, when it had yielded items.
   * They stay, whatever it is. Default `verify`: it runs again from its start, must yield the same items again, which go
   * nowhere, and goes on behind them. `cursor`: it runs again and finds in `ctx.resumeFrom` where to go on. `fail`: it fails
   * as `NotResumable`. `ephemeral`: none of its items are recorded, only what it returns and what `collect` and `reduce` make of
   * them, once it ended; until then it begins anew whenever it is cut off or an attempt fails, and readers are told by a
   * `reset` what is void. Its items may go to pure ops, `emit`, `collect` and `reduce`.
   */
  readonly onResume?: "verify" | "cursor" | "fail" | "ephemeral";
}

/** Options of an op with its schemas; callers see a schema's input type, the body its output type. */
export interface OpDef<X, Y, N = NoNeeds, C = unknown> extends OpOptions<N, C> {
  /** Validates the input before the body runs; a violation is not retried. */
  readonly input?: X;
  /** Validates the output, of generators each item. */
  readonly output?: Y;
}

// oxlint-disable-next-line typescript/no-explicit-any -- any return and next type will do, and they vary differently
type AnyGenerator<Y> = Generator<Y, any, any> | AsyncGenerator<Y, any, any>;

/** What a generator returns, when it returns something; `unknown` says that it is not to be read. */
// oxlint-disable-next-line typescript/no-explicit-any -- as above
type ReturnOf<R> = R extends Generator<any, infer F, any> | AsyncGenerator<any, infer F, any>
  ? [F] extends [void]
    ? unknown
    : F
  : unknown;

/** The output type of a body that returns `R`. */
export type BodyOut<R> = R extends AnyGenerator<infer Y> ? Stream<Y, ReturnOf<R>> : Awaited<R>;

/** What the body of an op with input schema `X` gets; `I` without one. */
export type BodyInput<X, I> = [X] extends [StandardSchemaV1] ? InferOutput<X> : I;

/** What callers of an op with input schema `X` give; `I` without one. */
export type CallInput<X, I> = [X] extends [StandardSchemaV1] ? InferInput<X> : I;

/** What the body of an op with output schema `Y` may return. */
export type BodyResult<Y> = [Y] extends [StandardSchemaV1]
  ? InferInput<Y> | Promise<InferInput<Y>> | Generator<InferInput<Y>> | AsyncGenerator<InferInput<Y>>
  : unknown;

/** The output type of an op whose body returns `R` under output schema `Y`. */
export type OpOut<R, Y> = [Y] extends [StandardSchemaV1]
  ? R extends AnyGenerator<unknown>
    ? Stream<InferOutput<Y>, ReturnOf<R>>
    : InferOutput<Y>
  : BodyOut<R>;
