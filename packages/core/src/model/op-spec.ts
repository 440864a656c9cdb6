import type { CallerContext } from "./caller-context.ts";
import type { StandardSchemaV1 } from "./standard-schema.ts";
import type { OpPolicies } from "./policies.ts";
import type { Needs } from "./resource.ts";
import type { Conversation, Listener } from "./conversation.ts";

/** How a body runs, known at build. `inline` bodies may still return a promise. */
export type OpKind = "inline" | "async" | "generator" | "asyncGenerator";

/** What an op call needs at run time. One object per `op()`, shared by all its calls. */
export interface OpSpec {
  readonly name: string;
  readonly kind: OpKind;
  readonly run: (input: never, ctx: never) => unknown;
  /**
   * The function of the user that `run` was made around: its text stands for what the op does, and what it tells while it runs is void
   * when it begins again. Absent: the user wrote `run`.
   */
  readonly around?: (...args: never) => unknown;
  readonly input: StandardSchemaV1 | null;
  readonly output: StandardSchemaV1 | null;
  readonly effect: "pure" | "idempotent" | "unsafe";
  readonly version: string;
  readonly onResume: "verify" | "cursor" | "fail" | "ephemeral";
  /** Pure, and over at once: it runs ahead of the journal under `sync` durability too. Of ops of the engine itself. */
  readonly ahead?: true;
  readonly transient: boolean;
  /** A live input: its items are sent from outside. */
  readonly live?: { readonly item: StandardSchemaV1 | null };
  /** Its items are calls, and it is told what each came to: the body of a workflow. */
  readonly converse?: (input: never, listener: Listener) => Conversation;
  /** `cpu`: its body runs in the engine's executor. */
  readonly bound: "cpu" | null;
  readonly policies: OpPolicies;
  /** The resources that the body gets, by its own names for them. */
  readonly needs: Needs | null;
  /** What the caller tells it. */
  readonly context: CallerContext<unknown> | null;
}
