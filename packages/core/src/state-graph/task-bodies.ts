/** Bodies of nodes by the names of their graphs and their own: what runs a task that was sent from elsewhere. */
import { buildError } from "../base/error.ts";
import type { OpCtx } from "../model/op.ts";
import type { Needs } from "../model/resource.ts";
import type { TaskName } from "../ports/task-executor.ts";
import { programBehind } from "./compiled.ts";
import { performed } from "./task.ts";
import type { NodeShape, Program } from "./shape.ts";
import type { TaskInput } from "./task-input.ts";
import type { Ran } from "./wire.ts";

export interface TaskBody extends TaskName {
  /** As `taskPool` and its workers call it. */
  readonly name: string;
  fn(input: TaskInput, ctx: OpCtx<Needs>): Promise<Ran>;
}

export function taskKey({ graph, node }: TaskName): string {
  return `${graph}/${node}`;
}

/** Of the state graphs among `values`, and of those that are nodes of them. */
export function taskBodies(values: readonly unknown[]): ReadonlyMap<string, TaskBody> {
  const programs = new Map<string, Program>();
  for (const value of values) {
    const program = typeof value === "function" ? programBehind(value) : undefined;
    if (program !== undefined) collect(program, programs);
  }
  const nodes = [...programs.values()].flatMap(({ shape }) =>
    [...shape.nodes.values()].filter(({ child }) => child === null).map((node) => bodyOf(shape.name, node)),
  );
  return new Map(nodes.map((body) => [body.name, body]));
}

function collect(program: Program, programs: Map<string, Program>): void {
  const { name, nodes } = program.shape;
  const known = programs.get(name);
  if (known === program) return;
  if (known !== undefined)
    throw buildError(`two state graphs are called ${name}`, "tasks are found by it: give one another name");
  programs.set(name, program);
  for (const { child } of nodes.values()) if (child !== null) collect(child.program, programs);
}

function bodyOf(graph: string, node: NodeShape): TaskBody {
  const name = taskKey({ graph, node: node.name });
  return { graph, node: node.name, name, fn: (input, ctx) => performed(node, input, ctx) };
}
