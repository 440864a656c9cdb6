/** From the events of a run to those of the state graph that it runs. */
import type {
  CustomEvent,
  InterruptEvent,
  OutputEvent,
  StreamEvent,
  TaskEvent,
  UpdateEvent,
  ValuesEvent,
} from "../engine/stream/events.ts";
import type { Board, Done } from "./board-data.ts";
import type { BodyStarts } from "./body-starts.ts";
import { eventPlace, taskPath, type EventPlace } from "./event-names.ts";
import type { GraphEvent } from "./graph-events.ts";
import { isRefused } from "./outcome.ts";
import type { Program } from "./shape.ts";
import { START_NAME } from "./names.ts";

/** As they come of one event of the run; places are given afterwards. */
type Made = { readonly event: GraphEvent["event"] } & Readonly<Record<string, unknown>>;

/** `starts`: of the same reader. */
export function projected(program: Program, event: StreamEvent, starts: BodyStarts): readonly GraphEvent[] {
  const made = event.mode === "output" ? endings(event) : insideOf(program, event, starts);
  const { seq, part } = event;
  // A start that was missing is no piece of what it is put before: another reader may be told it elsewhere.
  const missing = made.filter(({ missing: isMissing }) => isMissing === true).length;
  return made.map(({ missing: _missing, ...one }, at) => {
    const piece = isPlaceless(event) ? BEHIND : at - missing;
    return { ...one, seq, part, piece } as unknown as GraphEvent;
  });
}

/** Behind all pieces. */
const BEHIND = 1_000;

/** It has the place of what came before it. */
export function isPlaceless(event: StreamEvent): boolean {
  return "durable" in event || (event.mode === "tasks" && event.task === "started");
}

function endings(event: OutputEvent): readonly Made[] {
  if (!("result" in event)) return [];
  const { result } = event;
  if (result.status !== "interrupted") return [{ event: "ended", result }];
  const { interrupts, errors } = result;
  return [{ event: "interrupted", interrupts, errors }];
}

function insideOf(program: Program, event: Exclude<StreamEvent, OutputEvent>, starts: BodyStarts): readonly Made[] {
  const place = "node" in event ? eventPlace(program, event.node) : undefined;
  if (place === undefined || event.mode === "values") return [];
  const made = [...begun(event, place, starts), ...of[event.mode](event as never, place)];
  return place.within.length === 0 ? made : made.map((one) => ({ ...one, within: place.within }));
}

function begun(
  event: Exclude<StreamEvent, OutputEvent | ValuesEvent>,
  place: EventPlace,
  starts: BodyStarts,
): readonly Made[] {
  const { node, part } = place;
  if (node === null || !part.endsWith("body") || event.mode === "interrupts" || !starts.begins(event)) return [];
  return [{ event: "started", node, task: taskPath(event.path, place), missing: true }];
}

const of: {
  readonly [M in "updates" | "tasks" | "custom" | "interrupts"]: (
    event: Extract<StreamEvent, { readonly mode: M }> & { readonly path: string },
    place: EventPlace,
  ) => readonly Made[];
} = { updates: ofUpdate, tasks: ofTask, custom: ofCustom, interrupts: ofInterrupt };

function ofUpdate({ path, value }: UpdateEvent, place: EventPlace): readonly Made[] {
  const { node, part } = place;
  if (node === null && part === "board") return [values(place, value as Board)];
  if (node === null && part === "node") return begunChild(place, path, value as number);
  if (node === null) return [];
  const task = { node, task: taskPath(path, place) };
  const isAsking = asks(place, node);
  if (part === "superstep") return endOfChild(place, task, (value as { readonly board: Board }).board);
  if (part === (isAsking ? "asks" : "body"))
    return isAsking ? ended(task, value as Done) : [updates(task, value as Done)];
  return [];
}

function values({ shape }: EventPlace, { step, state, works }: Board): Made {
  const next = works.map(({ node }) => node).filter((node) => node !== START_NAME);
  return { event: "values", step, state: shape.model.view(state), next };
}

/** Its body runs again with each answer. */
function asks({ shape }: EventPlace, node: string): boolean {
  return Object.keys(shape.nodes.get(node)?.options.asks ?? {}).length > 0;
}

interface OfTask {
  readonly node: string;
  readonly task: string;
}

/** Which arm a task takes says that it begins, where there is no body that would. */
function begunChild({ shape }: EventPlace, path: string, arm: number): readonly Made[] {
  const [name, node] = [...shape.nodes][arm] ?? [];
  return node === undefined || node.child === null ? [] : [{ event: "started", node: name, task: `${path}/${name}` }];
}

function endOfChild({ shape }: EventPlace, task: OfTask, board: Board): readonly Made[] {
  const child = shape.nodes.get(task.node)?.child ?? null;
  if (child === null || isRefused(board)) return [];
  return ended(task, { steps: [{ write: child.leave(child.program.shape.model.view(board.state)) }] });
}

function ended(task: OfTask, done: Done): readonly Made[] {
  return [updates(task, done), { event: "finished", ...task }];
}

function updates(task: OfTask, { steps }: Done): Made {
  return { event: "updates", ...task, updates: steps.flatMap((step) => ("write" in step ? [step.write] : [])) };
}

function ofTask(event: TaskEvent, place: EventPlace): readonly Made[] {
  const { node, part } = place;
  if (node === null || !part.endsWith("body")) return [];
  const task = { node, task: taskPath(event.path, place) };
  // Whoever asks is through when it asks nothing more: `asks` says so.
  const isAsking = asks(place, node);
  if (event.task === "finished") return isAsking ? [] : [{ event: "finished", ...task }];
  if (event.task !== "failed") return [];
  const { code, message, attempt, retrying, retryAt } = event;
  const error = { code, message };
  return [retrying ? { event: "retrying", ...task, attempt, retryAt, error } : { event: "failed", ...task, error }];
}

function ofCustom({ path, name, value, index = 0, reset }: CustomEvent, place: EventPlace): readonly Made[] {
  const { node } = place;
  if (node === null) return [];
  const task = { node, task: taskPath(path, place) };
  if (reset === true) return [{ event: "reset", ...task }];
  return [{ event: "custom", ...task, ...(name !== undefined && { name }), value, index }];
}

function ofInterrupt(event: InterruptEvent, place: EventPlace): readonly Made[] {
  const { node, part } = place;
  if (node === null) return [];
  const { path, id } = event;
  const question = part.slice(part.lastIndexOf("/") + 1);
  const of_ = { node, task: taskPath(path, place), question, id };
  if (event.interrupt === "asked") return [{ event: "asked", ...of_, payload: event.payload }];
  const answer = event.interrupt === "withdrawn" ? {} : { answer: event.answer };
  return [{ event: "answered", ...of_, as: event.interrupt, ...answer }];
}
