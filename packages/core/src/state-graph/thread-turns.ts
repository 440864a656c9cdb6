/** What a turn begins with that goes on from a place in a thread. */
import { START_NAME } from "./names.ts";
import { merged } from "./board.ts";
import type { Done, Work } from "./board-data.ts";
import type { GraphShape } from "./shape.ts";
import type { StepData } from "./steps.ts";
import type { Place } from "./thread-places.ts";
import { goingOn, isDone, newTurn, updating, type Turn, type Writing } from "./turn.ts";

/** @throws MillraceError `NothingToRun`, `ReducerThrew` */
export function turnFrom(
  shape: GraphShape,
  { board, given, checkpoint: { id: parent }, isHead, made }: Place,
  input: unknown,
  limit: number = shape.limit,
): Turn {
  const here = { ...board, made };
  if (input !== null) return { ...newTurn(shape, here, input, limit), parent };
  // What had finished beside a task that failed is not run again; from an earlier checkpoint everything is.
  const left = isHead || board.works[0]?.node === START_NAME ? given : [];
  const turn = goingOn(shape, { board: here, given: left }, limit);
  if (board.works[0]?.node === START_NAME) takenOrThrown(shape, turn);
  if (isHead) return { ...turn, parent };
  return { ...turn, board: { ...turn.board, step: board.step + 1, made: made + 1 }, parent, fork: true };
}

/** An input that its reducer refused is refused again, and leaves no run behind. @throws MillraceError `ReducerThrew` */
function takenOrThrown(shape: GraphShape, { board, given }: Turn): void {
  merged(shape, board, given.filter(isDone));
}

/** In the name of that node where the thread stands; of none: it has had no turn. */
export function writing(write: unknown, asNode: string | undefined, { by }: { readonly by?: string }): Writing {
  return { write, as: [asNode ?? START_NAME], ...(by !== undefined && { by }) };
}

/** Those whose superstep ended there. */
export function writersOf({ checkpoint: { writes } }: Place): readonly string[] {
  return writes.length === 0 ? [START_NAME] : writes.map(({ node }) => node);
}

/** An update of a checkpoint that is not simply where the thread stands. */
export function updateAt(shape: GraphShape, from: Place, write: unknown, asNode: string | undefined): Turn {
  const { board, given, isHead, made, checkpoint } = from;
  const here = { ...board, made };
  const { id: parent } = checkpoint;
  const isBegun = isHead && board.works[0]?.node !== START_NAME && given.some(isDone);
  if (isBegun) return { ...updatedWithin(shape, { ...from, board: here }, write, asNode), parent };
  return { ...updating(shape, here, { write, as: asNode === undefined ? writersOf(from) : [asNode] }), parent };
}

/** What had finished stands. What had not is queued again, but for the task whose place the update takes. */
function updatedWithin(shape: GraphShape, { board, given }: Place, write: unknown, asNode: string | undefined): Turn {
  const taken = board.works.findIndex(({ node }, at) => node === asNode && !isDone(given[at]));
  const works = taken < 0 ? [...board.works, { node: asNode ?? START_NAME }] : board.works;
  const place = taken < 0 ? works.length - 1 : taken;
  // In nobody's name it leads nowhere.
  const steps: readonly StepData[] = asNode === undefined ? [{ write }, { goto: null }] : [{ write }];
  const dones = works.map((work, at): Done => {
    const known = given[at];
    if (at === place) return { steps };
    return isDone(known) ? known : { steps: [again(work)] };
  });
  const { limit } = shape;
  return { board: { ...board, works, limit, left: limit, stop: "" }, given: dones, once: true };
}

function again(work: Work): StepData {
  return "state" in work ? { send: work.node, state: work.state } : { goto: work.node };
}
