/** A node of a state graph as an op: it runs the body and gives its steps, checked. */
import { errorOf } from "../base/error.ts";
import { op } from "../build/op.ts";
import { around, type Told } from "../model/body-around.ts";
import type { Op, OpCtx } from "../model/op.ts";
import type { Needs } from "../model/resource.ts";
import type { SendsTasks } from "../ports/task-executor.ts";
import type { Done } from "./board-data.ts";
import { driven, isGenerator } from "./generator-body.ts";
import { TaskRun } from "./node-run.ts";
import type { TaskInput } from "./task-input.ts";
import type { GraphShape, NodeShape } from "./shape.ts";
import { steps, type StepData } from "./steps.ts";
import { ranOf, readRan, type Ran } from "./wire.ts";

export type TaskOp = Op<TaskInput, Done>;

export function taskOp(shape: GraphShape, node: NodeShape): TaskOp {
  const { asks: _asks, defer: _defer, cache, ...policies } = node.options;
  const finish = (task: TaskRun, { steps: given, cancel }: Ran): Done => ({
    steps: checkSteps(shape, node, given),
    ...(cancel === true && { cancel }),
    ...(task.told.length > 0 && { told: [...task.told] }),
  });
  const run = (input: TaskInput, ctx: OpCtx<Needs>): Done | Promise<Done> => {
    const task = new TaskRun(input, ctx);
    const ran = (returned: unknown): Ran => ranOf(node.name, returned, task.isCancelled);
    const sent = sentElsewhere(shape, node, input, ctx, task);
    if (sent !== null)
      return sent.then((value) => finish(task, readRan({ graph: shape.name, node: node.name }, value)));
    const returned = returnedBy(node, input, task);
    return returned instanceof Promise
      ? returned.then((value) => finish(task, ran(value)))
      : finish(task, ran(returned));
  };
  const isAsync = isAsyncBody(node.body);
  return op(
    "body",
    {
      ...policies,
      ...(cache !== undefined && { cache: cache === false ? false : { ...cache, key: cacheKey(cache.key) } }),
      ...(isAsync && { async: true as const }),
    } as never,
    around(node.body as never, run as never),
  ) as unknown as TaskOp;
}

function returnedBy(node: NodeShape, { state }: TaskInput, task: TaskRun): unknown {
  const body = node.body as (state: unknown, to: unknown, run: TaskRun) => unknown;
  const given = body(state, steps, task);
  return isGenerator(given) ? driven(given, task) : given;
}

/** What a body came to, for whoever runs it elsewhere. */
export async function performed(node: NodeShape, input: TaskInput, ctx: OpCtx<Needs>): Promise<Ran> {
  const task = new TaskRun(input, ctx);
  const returned = await returnedBy(node, input, task);
  return ranOf(node.name, returned, task.isCancelled);
}

/** Null: it runs here. What the engine was given for its needs cannot go elsewhere. */
function sentElsewhere(
  shape: GraphShape,
  node: NodeShape,
  input: TaskInput,
  ctx: OpCtx<Needs> & Partial<SendsTasks>,
  task: TaskRun,
): Promise<unknown> | null {
  if (node.options.needs !== undefined || ctx.send === undefined) return null;
  return ctx.send({
    graph: shape.name,
    node: node.name,
    step: input.step,
    input,
    run: async () => {
      const returned = await returnedBy(node, input, task);
      return ranOf(node.name, returned, task.isCancelled);
    },
    tell: (event) => task.tell(event as Told),
  });
}

function isAsyncBody(body: unknown): boolean {
  return ["[object AsyncFunction]", "[object AsyncGeneratorFunction]"].includes(Object.prototype.toString.call(body));
}

/** What a node's output depends on is what it reads, not in which superstep. */
function cacheKey(key: ((state: never) => unknown) | undefined): (input: TaskInput) => unknown {
  return ({ state, answers, recorded }) => [key === undefined ? state : key(state as never), answers, recorded];
}

/**
 * The steps as they are folded and followed.
 *
 * @throws MillraceError `UnknownField`, `InvalidValue`, `UnknownNode`, `UnknownQuestion`
 */
function checkSteps(shape: GraphShape, node: NodeShape, given: readonly StepData[]): readonly StepData[] {
  return given.map((step) => {
    if ("write" in step) return { write: shape.model.check(node.name, step.write) };
    if ("goto" in step) checkTarget(shape, node, step.goto);
    else if ("send" in step) checkTarget(shape, node, step.send);
    else if (!Object.hasOwn(node.options.asks ?? {}, step.ask))
      throw errorOf("UnknownQuestion", { graph: shape.name, node: node.name, question: step.ask });
    return step;
  });
}

/** @throws MillraceError `UnknownNode` */
export function checkTarget(
  { name: graph, nodes }: GraphShape,
  { name: from, routed }: { readonly name: string; readonly routed: NodeShape["routed"] },
  to: string | null,
): void {
  if (to !== null && !nodes.has(to))
    throw errorOf("UnknownNode", { graph, from, to, nodes: [...nodes.keys()].join(", ") });
  if (routed !== null && !routed.includes(to))
    throw errorOf("UnknownNode.routed", {
      graph,
      from,
      to: to ?? "its end",
      nodes: routed.map((node) => node ?? "END").join(", "),
    });
}
