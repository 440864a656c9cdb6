/** Functions of users between updates and state: what they throw is told with the graph, the node and the field. */
import { errorOf, type MillraceError } from "../base/error.ts";
import { syncOnly } from "../base/sync-only.ts";
import { emptyBoard } from "./board.ts";
import type { Board, Done } from "./board-data.ts";
import type { Child, GraphShape } from "./shape.ts";
import { newTurn, type Turn } from "./turn.ts";

type Shape = Pick<GraphShape, "name" | "model">;

/** What a subgraph begins with. @throws MillraceError `ReducerThrew` */
export function entered({ name: graph }: Shape, node: string, { program, enter }: Child, state: unknown): Turn {
  const input = guarded(
    () => syncOnly(enter(state), `enter of ${node} of state graph ${graph}`),
    (message) => errorOf("ReducerThrew.enter", { graph, node, message }),
  );
  const { shape } = program;
  return newTurn(shape, emptyBoard(shape), shape.model.check("the input", input));
}

/** What a subgraph came to, as its node's. @throws MillraceError `ReducerThrew`, `UnknownField`, `InvalidValue` */
export function left({ name: graph, model }: Shape, node: string, { program, leave }: Child, { state }: Board): Done {
  const view = program.shape.model.view(state);
  const update = guarded(
    () => syncOnly(leave(view), `leave of ${node} of state graph ${graph}`),
    (message) => errorOf("ReducerThrew.leave", { graph, node, message }),
  );
  return { steps: [{ write: model.check(node, update) }] };
}

function guarded<T>(work: () => T, told: (message: string) => MillraceError): T {
  try {
    return work();
  } catch (error) {
    throw told(error instanceof Error ? error.message : String(error));
  }
}
