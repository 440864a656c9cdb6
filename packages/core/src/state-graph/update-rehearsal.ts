/** An update is folded before there is a run of it: one that is refused changes nothing, and what is asked stays open. */
import { decode } from "../journal/codec/codec.ts";
import { encodeAs } from "../journal/encode-as.ts";
import { merged } from "./board.ts";
import type { Board } from "./board-data.ts";
import type { GraphShape } from "./shape.ts";
import { beginning, isDone, type TurnRequest } from "./turn.ts";

/**
 * An update as its run will find it: checked, and a copy of its own.
 *
 * @throws MillraceError `UnknownField`, `InvalidValue`, `Unencodable`
 */
export function written({ model }: GraphShape, update: unknown): unknown {
  return decode(encodeAs("update", model.check("an update", update)));
}

/** @throws MillraceError `ReducerThrew` when its run could only fail */
export function rehearse(shape: GraphShape, carried: Board, { turn }: TurnRequest): void {
  const { board, given } = beginning(shape, carried, { turn });
  shape.model.view(merged(shape, board, given.filter(isDone)));
}
