/**
 * What a run of a state graph begins with. Every turn is supersteps over a board; some tasks of the first superstep are
 * done already: the start, which writes the input; the node that an update is made in the name of; those that had finished when
 * a run failed.
 */
import { errorOf } from "../base/error.ts";
import { madeOf, startWork } from "./board.ts";
import type { Board, Done } from "./board-data.ts";
import type { SchemaResult, StandardSchemaV1 } from "../model/standard-schema.ts";
import type { Asking } from "./task-input.ts";
import { foldVersion, statedVersion } from "./fold-version.ts";
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
  /** Of an update: who writes. */
  readonly by?: string;
}

/** A turn from where the thread stands: with an input or without, and a limit of its own. */
interface FromHere {
  /** An input, checked when `checked` says so. */
  readonly input?: unknown;
  readonly checked?: true;
  readonly limit?: number;
}

/** An update of where the thread stands, in the name of these nodes. */
export interface Writing {
  readonly write: unknown;
  readonly as: readonly string[];
  readonly by?: string;
}

/**
 * Asks for a turn of another kind than "this update, please". It is told by what it is and not by what it holds: data from outside, which
 * comes as plain objects, never becomes one.
 */
export class TurnRequest {
  readonly turn: Turn | FromHere | Writing;

  constructor(turn: Turn | FromHere | Writing) {
    this.turn = turn;
  }
}

/**
 * What a run of a state graph is started with, as it is journaled. An update is checked once, at the border: a schema may change what it is
 * given. Journals that do not say `checked` are of versions that checked what they had read once more, and are read as they were written.
 */
export type RecordedInput = (
  | { readonly update: unknown; readonly checked?: true }
  | { readonly turn: Turn | FromHere | Writing }
) & {
  /** By what it is folded: `foldVersion`. Absent: an earlier version wrote it. */
  readonly fold?: string;
  /** What the graph and its fields stated. Absent: nothing. */
  readonly version?: string;
};

/** The border: an input that does not fit the state is refused before there is a run. */
export function inputSchema(shape: GraphShape): StandardSchemaV1<unknown, RecordedInput> {
  const { model } = shape;
  const version = statedVersion(shape);
  const made = { fold: foldVersion(shape), ...(version !== undefined && { version }) };
  const validate = (input: unknown): SchemaResult<RecordedInput> => {
    if (input instanceof TurnRequest) return { value: { turn: input.turn, ...made } };
    try {
      return { value: { update: model.check("the input", input), checked: true, ...made } };
    } catch (error) {
      return { issues: [{ message: error instanceof Error ? error.message : String(error) }] };
    }
  };
  return { "~standard": { version: 1, vendor: "millrace", validate } };
}

/**
 * @throws MillraceError `NothingToRun`
 */
export function beginning(shape: GraphShape, carried: Board, recorded: RecordedInput): Turn {
  if ("update" in recorded) return newTurn(shape, carried, checkedInput(shape, recorded.update, recorded));
  const { turn } = recorded;
  if ("board" in turn) return turn;
  if ("as" in turn) return updating(shape, carried, turn);
  const { limit = shape.limit } = turn;
  return Object.hasOwn(turn, "input")
    ? newTurn(shape, carried, checkedInput(shape, turn.input, turn), limit)
    : goingOn(shape, { board: carried, given: [] }, limit);
}

function checkedInput({ model }: GraphShape, input: unknown, { checked }: { readonly checked?: true }): unknown {
  return checked === true ? input : model.check("the input", input);
}

/** It ends when the update is folded; what follows the nodes it was made in the name of is left to the next turn. */
export function updating(shape: GraphShape, board: Board, { write, as, by }: Writing): Turn {
  const { limit } = shape;
  const works = as.map((node) => ({ node }));
  const step = Math.max(board.step, -1);
  return {
    board: { ...board, works, step, limit, left: limit, stop: "" },
    given: works.map((_, at) => ({ steps: at === 0 ? [{ write }] : [] })),
    once: true,
    ...(by !== undefined && { by }),
  };
}

/** `write`: a checked input. What was left over of the last turn is dropped: it begins anew, with the state that is there. */
export function newTurn(shape: GraphShape, carried: Board, write: unknown, limit: number = shape.limit): Turn {
  return {
    board: {
      ...carried,
      works: [startWork],
      seen: {},
      deferred: [],
      step: carried.step + 1,
      made: madeOf(carried) + 1,
      limit,
      left: limit + 1,
      stop: "",
    },
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
