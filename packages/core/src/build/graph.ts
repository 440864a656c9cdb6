import { buildError } from "../base/error.ts";
import type { CallOptions, Graph, GraphPlan } from "../model/op.ts";
import type { GraphOut, Ref } from "../model/ref.ts";
import type { Migration } from "../model/migration.ts";
import type { Scope } from "../model/scope.ts";
import type { InferInput, InferOutput, StandardSchemaV1 } from "../model/standard-schema.ts";
import { buildGraph } from "./build-graph.ts";
import { callGraph } from "./call-graph.ts";
import { define, type GraphDefinition } from "./definition.ts";
import { graphPlan } from "./graph-plan.ts";
import { checkName } from "./names.ts";
import { checkKeys } from "./options.ts";
import { asyncBody } from "./result.ts";
import { isSchema } from "./shape.ts";

interface GraphNotes {
  /** For people: shown in diagrams and listings. */
  readonly title?: string;
  /** How runs that were started on earlier versions go on with this one. It counts for runs of this graph, not where it is called. */
  readonly migrate?: readonly Migration[];
}

interface GraphOptions<X> extends GraphNotes {
  /** Validates the input: callers see its input type, the body its output type. */
  readonly input: X;
}

/**
 * Wires ops into a workflow. The body runs at once, with refs in place of values, and returns refs: the output of the
 * graph, in which refs per item become streams. What it may not say is a `BuildError`.
 *
 * A graph called in another body becomes part of it, under the call's name: its body runs again there. So a body is
 * pure: it makes the same nodes whenever it runs.
 *
 * ```ts
 * const research = graph("research", (input: Ref<{ topic: string }>) => {
 *   const page = fetchPage({ url: each(makePlan({ topic: input.topic }).urls) }, { parallel: 8 });
 *   return { summary: summarize({ pages: collect(page.html) }).text };
 * });
 * ```
 */
export function graph<I, R>(name: string, body: (input: Ref<I>) => R): Graph<I, GraphOut<R>>;
export function graph<X extends StandardSchemaV1, R>(
  name: string,
  options: GraphOptions<X>,
  body: (input: Ref<InferOutput<X>>) => R,
): Graph<InferInput<X>, GraphOut<R>>;
export function graph<I, R>(name: string, options: GraphNotes, body: (input: Ref<I>) => R): Graph<I, GraphOut<R>>;
export function graph(name: string, ...rest: readonly unknown[]): unknown {
  checkName("a graph", name);
  const [options, body] = (rest.length === 1 ? [{}, rest[0]] : rest) as [
    Partial<GraphOptions<StandardSchemaV1>>,
    (input: never) => unknown,
  ];
  if (typeof body !== "function") throw buildError(`graph ${name} has no body`, `write graph("${name}", input => …)`);
  const declared = (body as { readonly [Symbol.toStringTag]?: string })[Symbol.toStringTag];
  if (declared === "AsyncFunction" || declared === "AsyncGeneratorFunction") throw asyncBody(name);
  if (declared === "GeneratorFunction")
    throw buildError(
      `the body of graph ${name} is a generator`,
      "return the refs; those per item are streams by themselves",
      "AsyncBody",
    );
  checkKeys(`graph ${name}`, options, ["input", "title", "migrate"]);
  if (options.input !== undefined && !isSchema(options.input))
    throw buildError(
      `input of graph ${name} is not a schema`,
      "give a Standard Schema, such as z.object({ … })",
      "NotASchema",
    );
  const definition: GraphDefinition = {
    type: "graph",
    name,
    title: options.title,
    schema: options.input ?? null,
    migrate: options.migrate,
    body,
    plan: null,
  };
  const plan = nested(name, () => buildGraph(definition));
  definition.plan = plan;
  return callableOf(definition, graphPlan(plan, definition.title));
}

/** Graphs that are being built, each in the body of the one before. */
const building: string[] = [];
const deepest = 100;

/** A body may make graphs; one that makes itself anew each time would do so for ever. */
function nested<T>(name: string, build: () => T): T {
  if (building.length >= deepest)
    throw buildError(
      `graph ${name} is made in the body of a graph, in the body of a graph, ${deepest} deep: … > ${building.slice(-3).join(" > ")} > ${name}`,
      "a body that makes and calls itself never ends: make graphs outside of bodies, and loop with loop() or inside an op",
    );
  building.push(name);
  try {
    return build();
  } catch (error) {
    // Of all that a body may use too early, the graph itself is the likeliest.
    if (!(error instanceof ReferenceError) || !/initiali[sz]/.test(error.message)) throw error;
    throw buildError(
      `the body of graph ${name} uses something before it is made: ${error.message}`,
      "a body runs where graph() is called: make what it uses above. A graph cannot call itself; loop with loop(), or inside an op",
      "Recursion",
    );
  } finally {
    building.pop();
  }
}

function callableOf(definition: GraphDefinition, plan: GraphPlan): Graph<never, unknown> {
  const { name } = definition;
  const call = (input?: unknown, options?: CallOptions<Scope>): unknown => callGraph(definition, input, options);
  const fn = (): never => {
    throw buildError(
      `graph ${name} has no body that runs by itself`,
      "run it with engine.run(graph, input); fn is for ops",
    );
  };
  Object.defineProperties(call, {
    name: { value: name },
    fn: { value: fn },
    plan: { value: plan, enumerable: true },
    findings: { value: plan.findings },
  });
  define(call, definition);
  return Object.freeze(call) as unknown as Graph<never, unknown>;
}
