/**
 * The algebra of supersteps: pure functions over plain data, the same when a run goes on and when its journal is read.
 *
 * G1  The updates of a superstep are folded in the order its tasks were queued, whoever finished first.
 * G2  Tasks of one superstep read the state before it; branches read the state after it.
 * G3  A node that edges, branches or gotos lead to is queued once per superstep; each send is a task of its own.
 * G4  A join fires once, when all its sources have run since it fired last.
 */
import { cloneData } from "../base/clone.ts";
import { errorOf, type MillraceError } from "../base/error.ts";
import { START_NAME } from "./names.ts";
import type { Board, Chosen, Done, Stop, Work } from "./board-data.ts";
import type { GraphShape, JoinShape } from "./shape.ts";
import { FoldError } from "./state-def.ts";
import type { StepData } from "./steps.ts";

export const startWork: Work = Object.freeze({ node: START_NAME });

export function emptyBoard(shape: GraphShape): Board {
  return {
    state: cloneData(shape.model.initial),
    works: [],
    seen: {},
    deferred: [],
    step: -2,
    made: 0,
    limit: 0,
    left: 0,
    stop: "",
  };
}

/** Checkpoints that a thread has with this board. Before they were counted, a thread without forks had one per step. */
export function madeOf({ made, step }: Board): number {
  return made ?? step + 2;
}

/** G1. @throws MillraceError `ReducerThrew` */
export function merged(shape: GraphShape, board: Board, dones: readonly Done[]): unknown {
  const result = tryMerge(shape, board, dones);
  if ("error" in result) throw result.error;
  return result.state;
}

/** `at`: the task whose update a reducer cannot take. */
export function tryMerge(
  { name: graph, model }: GraphShape,
  { state, works }: Board,
  dones: readonly Done[],
): { readonly state: unknown } | { readonly error: MillraceError; readonly at: number } {
  const updates: unknown[] = [];
  const writers: number[] = [];
  dones.forEach(({ steps }, at) => {
    for (const step of steps)
      if ("write" in step) {
        updates.push(step.write);
        writers.push(at);
      }
  });
  try {
    return { state: model.merge(state, updates) };
  } catch (error) {
    if (!(error instanceof FoldError)) throw error;
    const at = writers[error.at]!;
    const { node } = works[at]!;
    const { field, message } = error;
    const told =
      field === null
        ? errorOf("ReducerThrew.merge", { graph, node, message }, error.cause)
        : errorOf("ReducerThrew", { graph, node, field, message }, error.cause);
    return { error: told, at };
  }
}

/** Whether where a task goes next is up to its node's edges and branches. */
export function followsEdges({ steps }: Done): boolean {
  return !steps.some((step) => "goto" in step);
}

/** The board after a superstep. `state`: what `merged` gave. */
export function advanced(
  shape: GraphShape,
  board: Board,
  dones: readonly Done[],
  state: unknown,
  chosen: Chosen,
): Board {
  const queue = new Queue();
  const ran: string[] = [];
  dones.forEach((done, at) => {
    const { node } = board.works[at]!;
    for (const step of done.steps) queue.take(step);
    if (!followsEdges(done)) return;
    ran.push(node);
    for (const target of shape.edges.get(node) ?? []) queue.lead(target);
    for (const step of chosen[at] ?? []) queue.take(step);
  });
  const seen = fireJoins(shape.joins, board.seen, ran, queue);
  const { works, deferred } = split(shape, queue, board.deferred);
  const left = board.left - 1;
  const next: Board = {
    ...board,
    state,
    works,
    seen,
    deferred,
    step: board.step + 1,
    made: madeOf(board) + 1,
    left,
    stop: "",
  };
  return { ...next, stop: stopOf(next, dones) };
}

function stopOf({ works, seen, left }: Board, dones: readonly Done[]): Stop {
  if (dones.some((done) => done.cancel === true)) return "cancelled";
  if (works.length === 0) return Object.keys(seen).length === 0 ? "" : "starved";
  return left <= 0 ? "limit" : "";
}

/** G3: what is to run next. */
class Queue {
  readonly #led: Set<string> = new Set();
  readonly #sent: Work[] = [];

  /** Nodes that were led to, then what was sent, each in the order it was said. */
  get works(): readonly Work[] {
    return [...[...this.#led].map((node) => ({ node })), ...this.#sent];
  }

  take(step: StepData): void {
    if ("goto" in step) this.lead(step.goto);
    else if ("send" in step) this.#sent.push({ node: step.send, state: step.state });
  }

  lead(node: string | null): void {
    if (node !== null) this.#led.add(node);
  }
}

/** G4. The sources that each join has seen afterwards; joins that have seen none are left out. */
function fireJoins(
  joins: readonly JoinShape[],
  before: Board["seen"],
  ran: readonly string[],
  queue: Queue,
): Board["seen"] {
  if (joins.length === 0) return before;
  const seen: Record<string, readonly string[]> = {};
  joins.forEach((join, at) => {
    const earlier = before[String(at)] ?? [];
    const now = join.from.filter((source) => (earlier.includes(source) && !join.sameStep) || ran.includes(source));
    if (now.length === join.from.length) queue.lead(join.to);
    // Of one that wants them all at once, the last that were not all: for the error, should it never fire.
    else if (now.length > 0) seen[String(at)] = now;
    else if (earlier.length > 0) seen[String(at)] = earlier;
  });
  return seen;
}

function split(
  shape: GraphShape,
  { works: queued }: Queue,
  waiting: readonly string[],
): Pick<Board, "works" | "deferred"> {
  const isDeferred = ({ node, ...sent }: Work): boolean =>
    !("state" in sent) && shape.nodes.get(node)?.options.defer === true;
  const works = queued.filter((work) => !isDeferred(work));
  const deferred = [...new Set([...waiting, ...queued.filter(isDeferred).map(({ node }) => node)])];
  if (works.length > 0 || deferred.length === 0) return { works, deferred };
  return { works: deferred.map((node) => ({ node })), deferred: [] };
}

/** Whether the turn is over. */
export function isOver({ works, stop }: Board): boolean {
  return works.length === 0 || stop !== "";
}
