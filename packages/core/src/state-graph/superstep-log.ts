/**
 * The supersteps of a turn, read from the records of its run: the same algebra over what the journal holds, so that
 * checkpoints need no storage of their own.
 */
import { describeError } from "../base/describe-error.ts";
import { advanced, isOver, tryMerge } from "./board.ts";
import type { Board, Chosen, Done, Work } from "./board-data.ts";
import { entered, left } from "./maps.ts";
import { START_NAME } from "./names.ts";
import { isRefused } from "./outcome.ts";
import type { Child, Program } from "./shape.ts";
import type { StepData } from "./steps.ts";
import type { Asking } from "./task-input.ts";
import { isDone, type Begun, type Given, type Turn } from "./turn.ts";

/** A record as `engine.history` tells it, as far as it matters here. */
export interface TurnRecord {
  readonly seq: number;
  readonly kind: string;
  readonly node?: string;
  readonly items?: readonly number[];
  readonly value?: unknown;
  readonly error?: { readonly code: string; readonly message: string };
  readonly retryAt?: number;
}

/** A question of a task. */
export interface Asked {
  readonly question: string;
  readonly payload: unknown;
  /** Absent: it is open. */
  answer?: { readonly value: unknown };
}

/** What is known of a task. */
export interface TaskLog {
  readonly work: Work;
  /** Present when it has finished. */
  done?: Done;
  /** What it gave before it asked. */
  readonly recorded: StepData[];
  /** What it asked, in that order; answered or not. */
  readonly asked: Asked[];
  error?: { readonly code: string; readonly message: string };
  /** It asked for the turn to stop. */
  cancel?: true;
  /** Of a node that is another state graph. */
  child?: TurnLog;
}

/** A superstep that is over. */
export interface SuperstepLog {
  readonly tasks: readonly TaskLog[];
  readonly after: Board;
  /** The record with which it was over. */
  readonly seq: number;
}

/** A record of a node where another one, or none, was queued. */
export interface Misfit {
  readonly found: string;
  readonly queued: string;
}

const SUPERSTEP = "superstep/";
const NODE = "node/";

export class TurnLog {
  readonly program: Program;
  readonly begin: Turn;
  readonly supersteps: SuperstepLog[] = [];
  /** Where the turn stands. */
  board: Board;
  /** The tasks of the superstep that goes on. */
  tasks: TaskLog[] = [];
  /** Of those, by their place in the stream, the ones that were not given. */
  #streamed: TaskLog[] = [];
  #chosen: Chosen | null = null;
  /** The superstep by its number in the run. */
  #index = -1;
  #once: boolean;

  constructor(program: Program, begin: Turn) {
    this.program = program;
    this.begin = begin;
    this.board = begin.board;
    this.#once = begin.once === true;
    this.#open(begin.given, 0);
  }

  /** An update that could not be folded: it is as if it had never been. */
  get isVoid(): boolean {
    return this.begin.once === true && this.supersteps.length === 0;
  }

  /**
   * `node`: without what is around the superstep; `items`: without what is around the loop of supersteps. Gives what does not fit: then
   * the graph is not the one whose records these are.
   */
  take(record: TurnRecord, node: string, items: readonly number[]): Misfit | null {
    if (!node.startsWith(SUPERSTEP) || items[0] !== this.#index) return null;
    const inner = node.slice(SUPERSTEP.length);
    let misfit: Misfit | null = null;
    if (inner === "branch" && record.kind === "output") this.#chosen = record.value as Chosen;
    else if (inner.startsWith(NODE)) misfit = this.#takeOfTask(record, inner.slice(NODE.length), items.slice(1));
    this.#advance(record.seq);
    return misfit;
  }

  #takeOfTask(record: TurnRecord, inner: string, [place, ...items]: readonly number[]): Misfit | null {
    const task = this.#streamed[place ?? -1];
    const slash = inner.indexOf("/");
    if (slash < 0) return null;
    const found = inner.slice(0, slash);
    if (task?.work.node !== found) return { found, queued: task?.work.node ?? "nothing" };
    const rest = inner.slice(slash + 1);
    const { child } = task;
    if (child === undefined) {
      takeOfBody(task, record, rest.slice(rest.lastIndexOf("/") + 1));
      return null;
    }
    const misfit = child.take(record, rest, items);
    this.#endOfChild(task, child);
    return misfit;
  }

  #endOfChild(task: TaskLog, child: TurnLog): void {
    if (!isOver(child.board) || isRefused(child.board) || task.done !== undefined) return;
    this.#trying(task, () => {
      task.done = left(this.program.shape, task.work.node, this.#childOf(task.work)!, child.board);
    });
  }

  /** What threw when the run was made failed the task then. */
  #trying(task: TaskLog, work: () => void): void {
    try {
      work();
    } catch (error) {
      const { code, message } = describeError(error);
      task.error = { code, message };
    }
  }

  #childOf({ node }: Work): Child | null {
    return this.program.shape.nodes.get(node)?.child ?? null;
  }

  #open(given: Turn["given"], seq: number): void {
    this.#index += 1;
    this.#chosen = null;
    this.tasks = this.board.works.map((work, at) => this.#taskOf(work, given[at] ?? null));
    this.#streamed = this.tasks.filter((_, at) => !isDone(given[at]));
    this.#advance(seq);
  }

  #taskOf(work: Work, given: Given): TaskLog {
    const task = newTask(work);
    if (isDone(given)) return { ...task, done: given };
    const child = this.#childOf(work);
    if (child !== null) {
      this.#trying(task, () => {
        task.child = new TurnLog(child.program, this.#turnOf(child, work, given));
        this.#endOfChild(task, task.child);
      });
    } else if (given !== null && "asking" in given) takeUp(task, given.asking);
    return task;
  }

  #turnOf(child: Child, work: Work, given: Begun | null): Turn {
    if (given !== null && "turn" in given) return given.turn;
    const { shape } = this.program;
    const state = "state" in work ? work.state : shape.model.view(this.board.state);
    return entered(shape, work.node, child, state);
  }

  #advance(seq: number): void {
    const { shape, branches } = this.program;
    if (isOver(this.board) || this.tasks.some(({ done }) => done === undefined)) return;
    if (branches !== null && this.#chosen === null) return;
    const dones = this.tasks.map(({ done }) => done!);
    const before = this.board;
    const state = this.#merged(before, dones);
    if (state === null) return;
    const next = advanced(shape, before, dones, state.is, this.#chosen ?? []);
    this.board = this.#once ? { ...next, stop: "updated" } : next;
    this.#once = false;
    this.supersteps.push({ tasks: this.tasks, after: this.board, seq });
    if (isOver(this.board)) this.tasks = this.board.works.map(newTask);
    else this.#open([], seq);
  }

  /** Null: a reducer threw, and so ended the run; the board before stands. */
  #merged(before: Board, dones: readonly Done[]): { readonly is: unknown } | null {
    const result = tryMerge(this.program.shape, before, dones);
    if ("state" in result) return { is: result.state };
    const { code, message } = result.error;
    const task = this.tasks[result.at]!;
    task.error = { code, message };
    // It would be folded again by whoever goes on; but who cannot be begun anew is an input.
    if (task.work.node !== START_NAME) delete task.done;
    return null;
  }
}

function newTask(work: Work): TaskLog {
  return { work, recorded: [], asked: [] };
}

function takeUp(task: TaskLog, { answers, recorded, cancel }: Asking): void {
  task.recorded.push(...recorded);
  if (cancel === true) task.cancel = true;
  for (const [question, values] of Object.entries(answers))
    for (const value of values) task.asked.push({ question, payload: null, answer: { value } });
}

/** `last`: the last part of the node's name: `body`, or the name of a question. */
function takeOfBody(task: TaskLog, { kind, value, error, retryAt }: TurnRecord, last: string): void {
  if (kind === "attemptFailed" && retryAt === undefined && error !== undefined) task.error = error;
  else if (kind === "asked") task.asked.push({ question: last, payload: value });
  else if (kind === "answered") answered(task, last, value);
  else if (kind === "output" && last === "body") takeOutput(task, value as Done);
}

function answered({ asked }: TaskLog, question: string, value: unknown): void {
  const open = asked.find((one) => one.question === question && one.answer === undefined);
  if (open !== undefined) open.answer = { value };
}

function takeOutput(task: TaskLog, done: Done): void {
  task.recorded.push(...done.steps.filter((step) => !("ask" in step)));
  if (done.cancel === true) task.cancel = true;
  if (done.steps.some((step) => "ask" in step)) return;
  const steps = [...task.recorded];
  task.done = task.cancel === true ? { steps, cancel: true } : { steps };
}
