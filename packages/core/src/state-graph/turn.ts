/**
 * What a run of a state graph begins with. Every turn is supersteps over a board; some tasks of the first superstep are
 * done already: the start, which writes the input; the node that an update is made in the name of; those that had finished when
 * a run failed.
 */
import { errorOf } from "../base/error.ts";
import { startWork } from "./board.ts";
import type { Board, Done } from "./board-data.ts";
import type { Asking } from "./task-input.ts";
import type { GraphShape } from "./shape.ts";
import { START_NAME } from "./names.ts";

/** What of a task is known already. */
export type Given = Done | Begun | null;

/** A task that did not come to its end: what it does not do again. */
export type Begun =
  /** Of a node that asks: the answers it had, and what it gave before it asked. */
  | { readonly asking: Asking }
  /** Of a node that is another state graph: where that stood. */
  | { readonly turn: Turn };

export function isDone(given: Given | undefined): given is Done {
  return given !== null && given !== undefined && "steps" in given;
}

export interface Turn {
  readonly board: Board;
  /** By place of the task in `board.works`; null: it has to run. */
  readonly given: readonly Given[];
  /** End when the first superstep is over, whatever is left. */
  readonly once?: true;
  /** The checkpoint that it goes on from, where that is not where the last turn ended. */
  readonly parent?: string;
  /** That is not the newest of its thread: what comes is another way on from there. */
  readonly fork?: true;
}

/** The key under which a run's input is more than "this update, please". No field begins with `$`. */
const TURN = "$turn";

/** A turn from where the thread stands: with an input or without, and a limit of its own. */
interface FromHere {
  readonly input?: unknown;
  readonly limit?: number;
}

export interface TurnInput {
  readonly [TURN]: Turn | FromHere;
}

export function turnInput(turn: Turn | FromHere): TurnInput {
  return { [TURN]: turn };
}

/**
 * @throws MillraceError `UnknownField`, `InvalidValue`, `NothingToRun`
 */
export function beginning(shape: GraphShape, carried: Board, input: unknown): Turn {
  const turn = turnOf(input);
  if (turn === undefined) return newTurn(shape, carried, input);
  if ("board" in turn) return turn;
  const { limit = shape.limit } = turn;
  return Object.hasOwn(turn, "input")
    ? newTurn(shape, carried, turn.input, limit)
    : goingOn(shape, { board: carried, given: [] }, limit);
}

function turnOf(input: unknown): TurnInput[typeof TURN] | undefined {
  if (typeof input !== "object" || input === null || !Object.hasOwn(input, TURN)) return undefined;
  return (input as TurnInput)[TURN];
}

/** What was left over of the last turn is dropped: a new input begins anew, with the state that is there. */
export function newTurn(shape: GraphShape, carried: Board, update: unknown, limit: number = shape.limit): Turn {
  const write = shape.model.check("the input", update ?? {});
  return {
    board: { ...carried, works: [startWork], deferred: [], step: carried.step + 1, limit, left: limit + 1, stop: "" },
    given: [{ steps: [{ write }] }],
  };
}

/**
 * With what is left over.
 *
 * @throws MillraceError `NothingToRun`
 */
export function goingOn(shape: GraphShape, { board, given }: Pick<Turn, "board" | "given">, limit: number): Turn {
  if (board.works.length === 0) throw errorOf("NothingToRun", { graph: shape.name });
  const isStart = board.works[0]!.node === START_NAME;
  return { board: { ...board, limit, left: limit + (isStart ? 1 : 0), stop: "" }, given };
}
