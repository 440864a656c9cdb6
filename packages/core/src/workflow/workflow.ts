/** `workflow`: durable async functions. */
import { buildError } from "../base/error.ts";
import { converse } from "../build/conversation.ts";
import { graph } from "../build/graph.ts";
import { checkName } from "../build/names.ts";
import { emit, interrupt, sleep } from "../build/outside.ts";
import type { Listener } from "../model/conversation.ts";
import type { Graph } from "../model/op.ts";
import type { Ref } from "../model/ref.ts";
import type { Item } from "../model/scope.ts";
import type { InferInput, InferOutput, StandardSchemaV1 } from "../model/standard-schema.ts";
import { BodyCtx } from "./body-ctx.ts";
import type { Callee, WorkflowCtx, WorkflowQuestions } from "./ctx.ts";
import { declaredOf, SLEEP_NAME, type Declared, type Written } from "./declared.ts";
import { Talk } from "./talk.ts";

type Uses = readonly Callee[] | Readonly<Record<string, Callee>>;
type Used<U extends Uses> = U extends readonly (infer C extends Callee)[] ? C : U[keyof U] & Callee;

/** A default stands for an answer as the body gets it. */
type DefaultsOf<Q extends WorkflowQuestions> = {
  readonly [K in keyof Q]: { readonly default?: InferOutput<Q[K]["answer"]> };
};

/** What a workflow declares beside its body. */
export interface WorkflowOptions<U extends Uses, Q extends WorkflowQuestions, E extends string> {
  /** What the body may run: a list, or a record where two have the same name. Each keeps its own policies. */
  readonly uses?: U;
  /** What it may ask, by name. */
  readonly asks?: Q & DefaultsOf<Q>;
  /** The names under which it may emit. */
  readonly emits?: readonly E[];
  /** Part of the fingerprint: raise it when the body makes other calls, so that runs that are under way are not resumed with it. */
  readonly version?: string;
  /** For people: shown in diagrams and listings. */
  readonly title?: string;
}

interface ValidatedOptions<
  X extends StandardSchemaV1,
  U extends Uses,
  Q extends WorkflowQuestions,
  E extends string,
> extends WorkflowOptions<U, Q, E> {
  /** Validates the input: callers see its input type, the body its output type. */
  readonly input: X;
}

type BodyOf<U extends Uses, Q extends WorkflowQuestions, E extends string, I, O> = (
  w: WorkflowCtx<Used<U>, Q, E>,
  input: I,
) => Promise<O>;

/** A durable async function: a graph to whoever runs or calls it. */
export interface Workflow<I, O> extends Graph<I, O> {}

/**
 * A durable async function: what it calls through `w` is recorded, so that after a crash, or days later in another process,
 * the body runs again, is told what its calls came to, and goes on behind them. What it may call, ask and emit is declared
 * beside it.
 *
 * ```ts
 * const support = workflow("support", { uses: [classify, send], asks: { approve: { answer: Approval } } },
 *   async (w, ticket: Ticket) => {
 *     const { risk, reply } = await w.run(classify, ticket);
 *     const ok = risk > 0.3 ? await w.interrupt("approve", reply) : { approved: true };
 *     return ok.approved ? await w.run(send, { reply, to: ticket.from }) : undefined;
 *   });
 * ```
 *
 * Between its calls a body awaits nothing else, and takes time and chance from `w`. Wrong declarations are a `BuildError`.
 */
export function workflow<
  I,
  O,
  const U extends Uses = readonly [],
  Q extends WorkflowQuestions = {},
  const E extends string = never,
>(name: string, options: WorkflowOptions<U, Q, E>, body: BodyOf<U, Q, E, I, O>): Workflow<I, O>;
export function workflow<
  X extends StandardSchemaV1,
  O,
  const U extends Uses = readonly [],
  Q extends WorkflowQuestions = {},
  const E extends string = never,
>(
  name: string,
  options: ValidatedOptions<X, U, Q, E>,
  body: BodyOf<U, Q, E, InferOutput<X>, O>,
): Workflow<InferInput<X>, O>;
export function workflow(name: string, options: object, body: unknown): unknown {
  checkName("a workflow", name);
  if (typeof body !== "function")
    throw buildError(`workflow ${name} has no body`, `write workflow("${name}", { uses: […] }, async (w, input) => …)`);
  const declared = declaredOf(name, options);
  const { input: schema, title } = options as Written;
  const made: { self?: unknown } = {};
  const begin = ({ input }: { readonly input: unknown }, listener: Listener): Talk =>
    new Talk(
      name,
      (talk) =>
        (body as BodyOf<Uses, WorkflowQuestions, string, unknown, unknown>)(
          new BodyCtx(declared, talk, made.self),
          input,
        ),
      listener,
    );
  const arms = armsOf(declared);
  const wiring = (input: Ref<unknown>): unknown =>
    converse({ workflow: name, version: declared.version, begin, arms }, input);
  made.self = graph(
    name,
    { ...(schema !== undefined && { input: schema }), ...(title !== undefined && { title }) } as never,
    wiring as never,
  );
  return made.self;
}

type Callable = (input: unknown, options: { readonly name: string }) => unknown;
type Arm = (input: Ref<never, Item>) => unknown;

function armsOf({ uses, asks, emits }: Declared): Record<string, Arm> {
  // One may be called `__proto__`.
  const arms = Object.create(null) as Record<string, Arm>;
  for (const [name, callee] of uses) arms[name] = (input) => (callee as unknown as Callable)(input, { name });
  for (const [name, question] of asks) arms[name] = (input) => interrupt(name, input, question as never);
  for (const name of emits) arms[name] = (input) => void emit(name, input);
  arms[SLEEP_NAME] = (input) => sleep(SLEEP_NAME, input);
  return arms;
}
