/** `stateGraph`: nodes that read a state and write updates, superstep by superstep. */
import { buildError } from "../base/error.ts";
import { checkKeys, checkVersion } from "../build/options.ts";
import type { Graph } from "../model/op.ts";
import { Declaration } from "./declaration.ts";
import type { END, START } from "./names.ts";
import { nodesOf } from "./node-names.ts";
import type { NodeRun } from "./node-run.ts";
import type { NodeOptions, Questions } from "./shape.ts";
import { fieldsModel, mergeModel, type Fields, type StateOf, type UpdateFor } from "./state-def.ts";
import type { Step, Steps } from "./steps.ts";

/** `state`: what nodes read, `update`: what they write. */
export interface StateTypes {
  readonly state: unknown;
  readonly update: unknown;
}

/** A compiled state graph: a graph whose input is an update and whose output is the last state of the turn. `N`: names of its nodes. */
export interface StateGraph<S, U, N extends string = string> extends Graph<U, S> {
  readonly [nodes]?: N;
}

declare const nodes: unique symbol;

/** What a state graph may state beside its state and nodes. */
interface StateGraphOptions {
  /**
   * Of the functions that its state is folded by: reducers, views, `merge`, and `enter` and `leave` of its subgraphs. Part of the fingerprint, in
   * place of their text: raise it when they fold otherwise.
   */
  readonly version?: string;
}

export interface CompileOptions<N extends string = string> {
  /** Most supersteps of one turn. Default 25. */
  readonly limit?: number;
  /** Nodes before and after which a turn waits until somebody answers `pause`, or starts the thread without an input. */
  readonly pauseBefore?: readonly N[];
  readonly pauseAfter?: readonly N[];
}

type Returned = Step | readonly Step[] | void | undefined;
type Compiling<N extends string, Done extends string> = [N] extends [Done]
  ? [options?: CompileOptions<N>]
  : [{ readonly "node() is missing for": Exclude<N, Done> }];
type Picked<N extends string> = N | typeof END | Step | readonly (N | typeof END | Step)[];

/** What a generator yields are events of its own; what it returns are its steps. */
type Yielding = Generator<unknown, Returned, undefined> | AsyncGenerator<unknown, Returned, undefined>;

type NodeBody<T extends StateTypes, N extends string, Q extends Questions, S> = (
  state: S,
  to: Steps<T["update"], N, keyof Q & string>,
  run: NodeRun<Q>,
) => Returned | Promise<Returned> | Yielding;

/** Declares nodes and where they lead, one call after the other; `compile` checks the whole. */
export interface StateGraphBuilder<T extends StateTypes, N extends string, Done extends string = never> {
  /**
   * A node: `body(state, to, run)` gives steps that `to` makes (`write`, `goto`, `send`, `interrupt`): one, a list, or
   * nothing. A generator tells what it yields as `custom` events, and returns its steps. Of a node that others send to, annotate `state` with what they send.
   */
  node<K extends N, const Q extends Questions = {}, S = T["state"]>(
    name: K,
    body: NodeBody<T, N, Q, S>,
    options?: NodeOptions<Q>,
  ): StateGraphBuilder<T, N, Done | K>;
  /** A node that goes by `goto` or `send` to one of `targets`. */
  routed<K extends N, const Q extends Questions = {}, S = T["state"]>(
    name: K,
    targets: readonly (N | typeof END)[],
    body: NodeBody<T, N, Q, S>,
    options?: NodeOptions<Q>,
  ): StateGraphBuilder<T, N, Done | K>;
  /** Another state graph as a node: `enter` makes its input of this state, `leave` an update of its last state. Both are pure. */
  subgraph<K extends N, S, U>(
    name: K,
    graph: StateGraph<S, U>,
    maps: { readonly enter: (state: T["state"]) => NoInfer<U>; readonly leave: (state: NoInfer<S>) => T["update"] },
  ): StateGraphBuilder<T, N, Done | K>;
  /** Where a turn begins. Not needed with one node. */
  entry(...nodes: readonly N[]): this;
  /** When `from` has run, `to` runs next. */
  edge(from: N | typeof START, to: N | typeof END): this;
  /** `to` runs once when all of `from` have run, be it in different supersteps; `sameStep`: in one. */
  join(from: readonly N[], to: N, options?: { readonly sameStep?: boolean }): this;
  /**
   * When `from` has run, `pick` says from the state after the superstep where to go on: a node, several, `END`, or what
   * `to.send` makes. It may be async; what it said is recorded. `targets` are those it may name.
   */
  branch(
    from: N | typeof START,
    pick: (state: T["state"], to: Pick<Steps<T["update"], N>, "goto" | "send">) => Picked<N> | Promise<Picked<N>>,
    targets?: readonly (N | typeof END)[],
  ): this;
  /**
   * @throws MillraceError `NoNodes`, `NodeMissing`, `UndeclaredNode`, `NoEntry`, `DanglingEdge`, `UnreachableNode`, `NoExit`,
   * `EmptyJoin`
   */
  compile(...options: Compiling<N, Done>): StateGraph<T["state"], T["update"], N>;
}

/**
 * A graph of nodes that read one state and write updates to it: the queued nodes of a superstep run side by side, their
 * updates are folded in the order they were queued, and edges, branches and gotos say what is queued next. In a `thread`
 * the state stays from turn to turn.
 *
 * ```ts
 * const agent = stateGraph("agent", { state: { messages: append<Message>() }, nodes: ["think", "act"] })
 *   .node("think", async ({ messages }, to) => to.write({ messages: await model(messages) }))
 *   .node("act", async ({ messages }, to) => to.write({ messages: await tools(messages.at(-1)) }))
 *   .entry("think")
 *   .branch("think", ({ messages }) => (messages.at(-1)?.calls ? "act" : END))
 *   .edge("act", "think")
 *   .compile();
 * ```
 */
export function stateGraph<F extends Fields, const N extends string>(
  name: string,
  options: { readonly state: F; readonly nodes: readonly N[] } & StateGraphOptions,
): StateGraphBuilder<{ readonly state: StateOf<F>; readonly update: UpdateFor<F> }, N>;
export function stateGraph<S, U, const N extends string>(
  name: string,
  options: {
    readonly initial: S;
    readonly merge: (state: S, update: U) => NoInfer<S>;
    readonly nodes: readonly N[];
  } & StateGraphOptions,
): StateGraphBuilder<{ readonly state: S; readonly update: U }, N>;
export function stateGraph(name: string, options: Written): unknown {
  const where = `state graph ${name}`;
  checkKeys(where, options, ["state", "initial", "merge", "nodes", "version"]);
  const { state, merge, initial, nodes } = options;
  const version = checkVersion(where, options.version);
  if (!Array.isArray(nodes)) throw buildError(`${where} does not name its nodes`, 'write nodes: ["think", "act"]');
  nodesOf(`the nodes of ${where}`, nodes);
  if (merge !== undefined && typeof merge !== "function") throw buildError(`merge of ${where} is not a function`);
  if (merge !== undefined && state === undefined)
    return new Declaration(name, version, mergeModel(initial, merge), nodes);
  if (merge === undefined && typeof state === "object" && state !== null && !Array.isArray(state))
    return new Declaration(name, version, fieldsModel(name, state), nodes);
  throw buildError(
    `${where} does not say how updates become state`,
    "give either state: { field: reducer }, or initial and merge",
  );
}

interface Written {
  readonly state?: Fields;
  readonly initial?: unknown;
  readonly merge?: (state: unknown, update: unknown) => unknown;
  readonly nodes: readonly string[];
  readonly version?: string;
}
