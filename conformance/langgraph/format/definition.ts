/**
 * A state graph and what is done with it, as data. Each engine interprets the same definition, so that what is compared
 * cannot drift apart. Names of nodes that run in one superstep stand in alphabetical order of being queued, unless the
 * definition is about that order.
 */
import type { Expression } from "./expression.ts";
import type { Json, Patch } from "./json.ts";

export interface Definition {
  /** Also the name of its vector: `vectors/NAME.json`. */
  readonly name: string;
  /** What it is there to pin, in one sentence. */
  readonly about: string;
  readonly graph: GraphDefinition;
  /** Calls in order, all on one engine. */
  readonly script: readonly Call[];
  /** Where Millrace deliberately does otherwise than the vector says: written in `ours/`. */
  readonly ours?: readonly Otherwise[];
}

export interface GraphDefinition {
  readonly fields: Readonly<Record<string, FieldDefinition>>;
  /** In the order in which they are added to the graph. */
  readonly nodes: Readonly<Record<string, NodeDefinition>>;
  /** Nodes that the input leads to, or a branch on the state after the input. */
  readonly entry: string | readonly string[] | { readonly rules: readonly Rule[] };
  /** `[from, to]`; `to` may be `"END"`. */
  readonly edges?: readonly (readonly [string, string])[];
  /** `to` runs once when all of `from` have run, be it in different supersteps. */
  readonly joins?: readonly { readonly from: readonly string[]; readonly to: string }[];
  readonly branches?: readonly { readonly from: string; readonly rules: readonly Rule[] }[];
  /** Static breakpoints: the run pauses before or after these nodes. */
  readonly breakpoints?: { readonly before?: readonly string[]; readonly after?: readonly string[] };
}

/**
 * `last`: the last update, absent before the first unless there is an `init`. `append`: a list, an update is one element.
 * `add`: a sum from 0. `max`: the largest update, absent before the first. `merge`: a record, an update is some of its
 * fields.
 */
export interface FieldDefinition {
  readonly reducer: "last" | "append" | "add" | "max" | "merge";
  /** Only for `last`. */
  readonly init?: Json;
}

export type NodeDefinition = BodyNode | SubgraphNode;

interface NodeOptions {
  /** Runs when nothing else is queued. */
  readonly deferred?: true;
}

export interface BodyNode extends NodeOptions {
  /** What the body does, in order. */
  readonly do: readonly Action[];
  /** `attempts` counts the first one. The pauses between attempts are as short as the engine allows. */
  readonly retry?: { readonly attempts: number };
}

export interface SubgraphNode extends NodeOptions {
  readonly subgraph: GraphDefinition;
  /**
   * Fields of the subgraph from the parent's state, and fields of the parent from the subgraph's last state. Both or none:
   * without them parent and subgraph share their fields, by LangGraph's rule: the subgraph is given all of the parent's
   * values as its input, and all of its last values are one update of the parent.
   */
  readonly enter?: Readonly<Record<string, Expression>>;
  readonly leave?: Readonly<Record<string, Expression>>;
}

export type Action =
  /** One update. Several in one body are several updates, in order. */
  | { readonly write: Readonly<Record<string, Expression>> }
  /** Takes the place of the node's edges and branches in Millrace, comes on top of them in LangGraph. `"END"` is allowed. */
  | { readonly goto: string | readonly string[] }
  /** Queues a node with a state of its own; with `each`, once per element, which `with` reads as `{ use: "item" }`. */
  | { readonly send: string; readonly with: Readonly<Record<string, Expression>>; readonly each?: Expression }
  /** Asks. The body goes on with the answer under the name `as`; the first time round it ends here. */
  | { readonly ask: Expression; readonly as: string }
  /** Fails: always, or only the `entries`-th times that the body was entered, from 1, counted over the whole script. */
  | { readonly throw: string; readonly entries?: readonly number[] }
  /** A custom event. */
  | { readonly emit: Expression }
  /** Waits so many milliseconds, so that tasks of one superstep finish in another order than they were queued. */
  | { readonly delay: number }
  | { readonly if: Expression; readonly do: readonly Action[]; readonly else?: readonly Action[] };

/** The first one whose `when` is true, or is absent, decides. `to: []` leads nowhere. */
export interface Rule {
  readonly when?: Expression;
  readonly to: string | readonly string[];
}

/** Checkpoints are numbered from 0 in the order in which they were made on their thread. */
export type Call = { readonly thread?: string } & Operation;

export type Operation =
  /** Runs with an input: a first run or a new turn. `at`: on top of that checkpoint instead of the newest. */
  | { readonly run: Patch; readonly at?: number; readonly limit?: number; readonly concurrency?: number }
  /** Goes on without input: after a failure, a breakpoint or an update. `at`: from that checkpoint, which makes a fork. */
  | { readonly proceed: true; readonly at?: number; readonly limit?: number }
  /** Answers the only open question, or the one with the payload `to`, and goes on. */
  | { readonly answer: Json; readonly to?: Json }
  /** Several answers in one call. */
  | { readonly answers: readonly { readonly answer: Json; readonly to: Json }[] }
  /** A checkpoint with the patch on top of the newest, or of `at`, as if `asNode` had written it. */
  | { readonly update: Patch; readonly asNode?: string; readonly at?: number }
  /** Forgets the thread. */
  | { readonly delete: true }
  /** Begun at once, awaited all. */
  | { readonly together: readonly Operation[] };

/** One value of a vector that is another one here. */
export interface Otherwise {
  /** A row of `differences.ts`. */
  readonly difference: string;
  /** JSON pointer (RFC 6901) into the vector. */
  readonly at: string;
  /** Absent: there is no such value here. */
  readonly value?: Json;
}
