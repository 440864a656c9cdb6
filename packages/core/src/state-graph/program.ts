/**
 * A state graph as a dataflow graph: a loop over supersteps, in it a stream of tasks, per task the arm of its node. So
 * tasks are recorded, retried, timed, asked about and recovered by the same kernel as ops anywhere; what is between them is
 * computed from what they gave.
 */
import { collect } from "../build/collectors.ts";
import { derive, deriveAs } from "../build/values.ts";
import { eachWired } from "../build/each.ts";
import { interrupt } from "../build/outside.ts";
import { loop } from "../build/blocks/loop.ts";
import { route, when } from "../build/blocks/choose.ts";
import type { Op } from "../model/op.ts";
import type { Ref } from "../model/ref.ts";
import type { Item } from "../model/scope.ts";
import { asking } from "./asking.ts";
import { advanced, isOver, merged } from "./board.ts";
import type { Board, Done, Work } from "./board-data.ts";
import { branching, branchOp } from "./branching.ts";
import { entered, left } from "./maps.ts";
import { isRefused, refusal } from "./outcome.ts";
import type { Child, GraphShape, NodeShape, Program } from "./shape.ts";
import { taskOp } from "./task.ts";
import { noAnswers, noneRecorded, type TaskInput } from "./task-input.ts";
import { START_NAME } from "./names.ts";
import { isDone, type Begun, type Turn } from "./turn.ts";

export function programOf(shape: GraphShape): Program {
  const tasks = new Map<string, Op<TaskInput, Done>>();
  for (const node of shape.nodes.values()) if (node.child === null) tasks.set(node.name, taskOp(shape, node));
  return { shape, tasks, branches: shape.branches.size === 0 ? null : branchOp(shape) };
}

/** What holds tasks back are the limits of the run, the engine and its resources. */
const PARALLEL = 100_000;

/** What bounds a turn is what its board has left. */
const ENDLESS = 1_000_000_000;

/** What a superstep begins with. */
interface Now {
  readonly board: Ref<Board>;
  readonly given: Ref<Turn["given"]>;
  readonly once: Ref<boolean>;
  /** The nodes of the superstep before, in this turn; null: there is none, and whoever began the turn said go on. */
  readonly ran: Ref<readonly string[] | null>;
}

/** Wires the supersteps of one turn, from what it begins with to the board it ends with. For use in a graph's body. */
export function supersteps(program: Program, turn: Ref<Turn>): Ref<Board> {
  const initial = {
    board: derive(turn, ({ board }) => board),
    given: derive(turn, ({ given }) => given),
    once: derive(turn, ({ once }) => once === true),
    ran: null,
  };
  const end = loop("superstep", { max: ENDLESS }, initial as never, (state) => {
    const now = state as unknown as Now;
    const next = superstep(program, now);
    return {
      next: {
        board: next,
        given: [],
        once: false,
        ran: derive(now.board, ({ works }) => works.map(({ node }) => node)),
      } as never,
      until: derive(next, isOver),
    };
  });
  return derive(end as unknown as Ref<{ board: Board }>, ({ board }) => board);
}

function superstep(program: Program, { board, given, once, ran: before }: Now): Ref<Board> {
  const { shape } = program;
  const todo = derive({ board, given, paused: pause(shape, board, before) }, (at) =>
    at.board.works.flatMap((work, i): Queued[] => {
      const given = at.given[i] ?? null;
      return isDone(given) ? [] : [{ ...work, begun: given }];
    }),
  );
  const task = eachWired(todo, "task");
  const input = {
    // Where a turn begins nobody reads it; it may be a state that cannot be shown, and that the input mends.
    view: derive(board, ({ state, works }) => (works[0]?.node === START_NAME ? null : shape.model.view(state))),
    step: derive(board, ({ step }) => step + 1),
  };
  const ran = collect(arms(program, task, input) as never) as unknown as Ref<Done[]>;
  const dones = derive({ board, given, ran }, (at) => inOrder(at.board, at.given, at.ran));
  const state = derive({ board, dones }, (at) => merged(shape, at.board, at.dones));
  const chosen = branching(program, board, dones, state) as never;
  // By its name it is told to who follows the run: `superstep/board`.
  return deriveAs("board", { board, dones, state, chosen, once }, (at) => {
    const next = advanced(shape, at.board, at.dones, at.state, at.chosen);
    return at.once ? { ...next, stop: "updated" as const } : next;
  });
}

/** What the given tasks and those that ran came to, by their place in the superstep. */
function inOrder({ works }: Board, given: Turn["given"], ran: readonly Done[]): readonly Done[] {
  if (given.length === 0) return ran;
  let next = 0;
  return works.map((_, at) => {
    const known = given[at];
    return isDone(known) ? known : ran[next++]!;
  });
}

/** A task that is to run, or to go on. */
interface Queued extends Work {
  readonly begun: Begun | null;
}

interface Reads {
  readonly view: Ref<unknown>;
  readonly step: Ref<number>;
}

function arms({ shape, tasks }: Program, task: Ref<Queued, Item>, { view, step }: Reads): unknown {
  const bodies: Record<string, () => unknown> = {};
  for (const node of shape.nodes.values())
    bodies[node.name] = () => {
      const state = derive({ task, view }, (at) => ("state" in at.task ? at.task.state : at.view));
      return node.child === null
        ? taskOf(tasks.get(node.name)!, node, task, { state, step })
        : childOf(shape, node.name, node.child, task, state);
    };
  return route("node", (task as unknown as { readonly node: never }).node, bodies as never);
}

function taskOf(
  run: Op<TaskInput, Done>,
  { options }: NodeShape,
  task: Ref<Queued, Item>,
  input: { state: Ref<unknown, Item>; step: Ref<number> },
): unknown {
  const asks = Object.entries(options.asks ?? {});
  if (asks.length > 0) {
    const begun = derive(task, (queued) =>
      queued.begun !== null && "asking" in queued.begun ? queued.begun.asking : null,
    );
    return asking(run, asks, input, begun, PARALLEL);
  }
  return run({ ...input, answers: noAnswers, recorded: noneRecorded }, { parallel: PARALLEL });
}

/** Another state graph is a task of this one: a turn without a thread, flattened into the same plan. */
function childOf(
  parent: GraphShape,
  node: string,
  child: Child,
  task: Ref<Queued, Item>,
  state: Ref<unknown, Item>,
): unknown {
  const turn = derive({ task, state }, (at) => {
    const { begun } = at.task;
    return begun !== null && "turn" in begun ? begun.turn : entered(parent, node, child, at.state);
  });
  const end = supersteps(child.program, turn as never);
  return derive(end, (board): Done => {
    const { shape } = child.program;
    if (isRefused(board)) throw refusal(shape, board);
    return left(parent, node, child, board);
  });
}

/** Holds the superstep until somebody outside says go on, where the graph is to pause. */
function pause(
  { pauseBefore, pauseAfter }: GraphShape,
  board: Ref<Board>,
  ran: Ref<readonly string[] | null>,
): unknown {
  if (pauseBefore.size === 0 && pauseAfter.size === 0) return null;
  const due = derive({ board, ran }, (at) => {
    const next = [...new Set(at.board.works.map(({ node }) => node))];
    const before = next.filter((node) => pauseBefore.has(node));
    const after = [...new Set(at.ran)].filter((node) => pauseAfter.has(node));
    return { before, after, is: at.ran !== null && before.length + after.length > 0 };
  });
  return when("breakpoint", due.is, () =>
    interrupt("pause", { before: due.before, after: due.after }, { answer: anything, title: "Go on?" }),
  );
}

const anything = {
  "~standard": { version: 1 as const, vendor: "millrace", validate: (value: unknown) => ({ value }) },
};
