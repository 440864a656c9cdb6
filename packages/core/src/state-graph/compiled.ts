/** A state graph as a graph that engines run. */
import { cell, push, read } from "../build/cell.ts";
import { derive } from "../build/values.ts";
import { graph } from "../build/graph.ts";
import { last } from "../build/reducers.ts";
import { op } from "../build/op.ts";
import { running } from "../build/builder.ts";
import { when } from "../build/blocks/choose.ts";
import type { Ref } from "../model/ref.ts";
import { emptyBoard } from "./board.ts";
import type { Board } from "./board-data.ts";
import { shapeVersion } from "./describe-shape.ts";
import { isRefused, refusal } from "./outcome.ts";
import { programOf, supersteps } from "./program.ts";
import type { GraphShape, Program } from "./shape.ts";
import { beginning, inputSchema, type RecordedInput } from "./turn.ts";

/** Of compiled state graphs: what is known of each. */
const programs = new WeakMap<object, Program>();

export function programBehind(graph: object): Program | undefined {
  return programs.get(graph);
}

export function compiled(shape: GraphShape): object {
  const program = programOf(shape);
  const empty = emptyBoard(shape);
  const refuse = op("outcome", { effect: "pure", version: shapeVersion(shape) }, ({ board }: { board: Board }) => {
    throw refusal(shape, board);
  });
  const made = graph(shape.name, { input: inputSchema(shape) }, (input: Ref<RecordedInput>) => {
    // Under the graph's name: several state graphs may share a thread, and each has a state of its own there.
    // Called in another graph it has no thread: what stays from run to run is the affair of that one.
    const memory = running()?.prefix === "" ? cell(shape.name, last<Board>(empty), { carry: true }) : null;
    const carried = memory === null ? null : read(memory, { after: [] });
    const turn = derive({ carried, input }, (at) => beginning(shape, at.carried ?? emptyBoard(shape), at.input));
    const end = supersteps(program, turn);
    if (memory !== null) push(memory, end as never);
    const refused = when("refusal", derive(end, isRefused), () => refuse({ board: end }));
    return derive({ end, refused }, (at) => shape.model.view(at.end.state));
  });
  programs.set(made, program);
  return made;
}
