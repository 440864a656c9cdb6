/** A state graph as it was declared: what `compile` checks and supersteps follow. */
import type { Op, OpOptions } from "../model/op.ts";
import type { Needs } from "../model/resource.ts";
import type { StandardSchemaV1 } from "../model/standard-schema.ts";
import type { Duration } from "../base/duration.ts";
import type { Chosen, Done } from "./board-data.ts";
import type { TaskInput } from "./task-input.ts";
import type { StateModel } from "./state-def.ts";

/** A question that a node may ask. */
export interface Question {
  /** What an answer must match: callers of `answer` give its input type, `run.answer` gives its output type. */
  readonly answer: StandardSchemaV1;
  /** How long the answer is waited for. Default: for ever. */
  readonly timeout?: Duration;
  /** The answer when none came in time. */
  readonly default?: unknown;
  /** For people: what inboxes show. */
  readonly title?: string;
}

export type Questions = Readonly<Record<string, Question>>;

/** Of the policies of ops, those that suit a node. */
type NodePolicies = Pick<
  OpOptions<Needs, unknown>,
  "retry" | "timeout" | "cache" | "effect" | "version" | "needs" | "context" | "onFailure"
>;

export interface NodeOptions<Q extends Questions = {}> extends NodePolicies {
  /** What the node may ask, by name. */
  readonly asks?: Q;
  /** Run only when nothing else of the turn is left to run. */
  readonly defer?: boolean;
}

export interface NodeShape {
  readonly name: string;
  readonly body: (state: never, to: never, run: never) => unknown;
  readonly options: NodeOptions<Questions>;
  /** Where it may go by `goto` and `send`, null being the end; null: not said, so anywhere. */
  readonly routed: readonly (string | null)[] | null;
  readonly child: Child | null;
}

/** A state graph that is a node of another one. */
export interface Child {
  readonly program: Program;
  /** What it begins with. */
  readonly enter: (state: unknown) => unknown;
  /** What its last state writes. */
  readonly leave: (state: unknown) => unknown;
}

export interface JoinShape {
  readonly from: readonly string[];
  readonly to: string;
  /** All sources in one superstep, not one after the other. */
  readonly sameStep: boolean;
}

/** Names, or what `to.goto` and `to.send` make. */
export type Pick_ = (state: never, to: never) => unknown;

export interface BranchShape {
  /** A node, or the start. */
  readonly from: string;
  readonly pick: Pick_;
  /** Where it may lead, null being the end; null: not said, so anywhere. */
  readonly targets: readonly (string | null)[] | null;
}

export interface GraphShape {
  readonly name: string;
  /** Of the functions that its state is folded by, as stated; empty: none is. */
  readonly version: string;
  readonly model: StateModel;
  readonly nodes: ReadonlyMap<string, NodeShape>;
  /** By source, the start included: targets, null is the end. */
  readonly edges: ReadonlyMap<string, readonly (string | null)[]>;
  readonly joins: readonly JoinShape[];
  readonly branches: ReadonlyMap<string, readonly BranchShape[]>;
  readonly limit: number;
  /** Nodes before and after which the turn waits until somebody says go on. */
  readonly pauseBefore: ReadonlySet<string>;
  readonly pauseAfter: ReadonlySet<string>;
}

/** What a graph needs besides its shape, made once. */
export interface Program {
  readonly shape: GraphShape;
  /** By node; other state graphs have none. */
  readonly tasks: ReadonlyMap<string, Op<TaskInput, Done>>;
  /** Null: no branches. */
  readonly branches: Op<BranchInput, Chosen> | null;
}

export interface BranchInput {
  readonly state: unknown;
  /** By task, the source whose branches are to be asked; null: none. */
  readonly from: readonly (string | null)[];
}
