/** Checkpoints out of the supersteps of a run. */
import type { Board } from "./board-data.ts";
import type { AskedQuestion, Checkpoint, InnerCheckpoint, PendingTask } from "./checkpoint.ts";
import { START_NAME } from "./names.ts";
import type { Asked, TaskLog, TurnLog } from "./superstep-log.ts";
import type { StepData } from "./steps.ts";
import { noAnswers, withAnswer } from "./task-input.ts";
import type { Given, Turn } from "./turn.ts";
import { viewOrWhy } from "./unshown.ts";

/** A boundary of a run. */
export interface Boundary extends InnerCheckpoint {
  readonly board: Board;
  /** The superstep that begins here, as far as it went: what a turn that goes on from here need not do again. */
  readonly given: readonly Given[];
  readonly recordSeq: number;
}

/** In the order they came to be; each with what is known of the tasks that it leads to. */
export function boundaries(log: TurnLog): readonly Boundary[] {
  const { supersteps, tasks, begin } = log;
  const list: Boundary[] = [];
  const first: At = { board: begin.board, tasks: supersteps[0]?.tasks ?? tasks, recordSeq: 1 };
  if (begin.fork === true) list.push(boundaryOf(log, first, "fork", []));
  else if (beginsAnew(begin)) list.push(boundaryOf(log, first, "input", []));
  supersteps.forEach((ended, at) => {
    const source = at === 0 && begin.once === true ? "update" : "superstep";
    const next = supersteps[at + 1]?.tasks ?? tasks;
    list.push(boundaryOf(log, { board: ended.after, tasks: next, recordSeq: ended.seq }, source, ended.tasks));
  });
  return list;
}

/** Where a turn that goes on from the last of them begins. */
export function headBoundary({ board, tasks }: TurnLog): Pick<Boundary, "board" | "given"> {
  return { board, given: tasks.map(givenOf) };
}

function beginsAnew({ board, once }: Turn): boolean {
  return board.works[0]?.node === START_NAME && once !== true;
}

/**
 * What became of the tasks of the checkpoint that a turn goes on from, which is one of an earlier run; undefined: it made a
 * checkpoint of its own to begin with.
 */
export function pendingBefore({ begin, supersteps, tasks }: TurnLog): readonly PendingTask[] | undefined {
  if (begin.fork === true || begin.once === true || beginsAnew(begin)) return undefined;
  return (supersteps[0]?.tasks ?? tasks).map(pendingOf);
}

interface At {
  readonly board: Board;
  /** Of the superstep that comes next. */
  readonly tasks: readonly TaskLog[];
  readonly recordSeq: number;
}

function boundaryOf(
  log: TurnLog,
  { board, tasks, recordSeq }: At,
  source: Checkpoint["source"],
  ended: readonly TaskLog[],
): Boundary {
  return {
    board,
    step: board.step,
    source,
    state: viewOrWhy(log.program.shape.model, board.state),
    next: board.works.map(({ node }) => node),
    pending: tasks.map(pendingOf),
    given: tasks.map(givenOf),
    writes: ended.map(({ work: { node }, done }) => ({ node, updates: updatesOf(done!.steps) })),
    inner: ended.flatMap(({ work: { node }, child }) =>
      child === undefined ? [] : [{ node, checkpoints: boundaries(child).map(publicOf) }],
    ),
    recordSeq,
  };
}

function pendingOf({ work, done, asked, error, child }: TaskLog): PendingTask {
  const questions = child === undefined ? asked : askedIn(child);
  const failure = error ?? (child === undefined ? undefined : errorIn(child));
  // An input that was refused is there all the same.
  const isTaken = done !== undefined && work.node !== START_NAME;
  return {
    node: work.node,
    ...("state" in work && { sent: work.state }),
    ...(done !== undefined && { wrote: updatesOf(done.steps) }),
    ...(questions.length > 0 && { asked: questions.map(publicQuestion) }),
    ...(!isTaken && failure !== undefined && { error: failure }),
  };
}

function publicQuestion({ question, payload, answer }: Asked): AskedQuestion {
  return { question, payload, ...(answer !== undefined && { answer: answer.value }) };
}

/** Of all its supersteps: seen from outside they are one. */
function tasksIn({ supersteps, tasks }: TurnLog): readonly TaskLog[] {
  return [...supersteps.flatMap((superstep) => superstep.tasks), ...tasks];
}

function askedIn(log: TurnLog): readonly Asked[] {
  return tasksIn(log).flatMap(({ asked, child }) => (child === undefined ? asked : askedIn(child)));
}

function errorIn(log: TurnLog): TaskLog["error"] {
  return tasksIn(log).flatMap(({ error, child }) => error ?? (child === undefined ? [] : (errorIn(child) ?? [])))[0];
}

/** What a turn that goes on need not do again. */
function givenOf({ done, asked, recorded, child }: TaskLog): Given {
  if (done !== undefined) return done;
  if (child !== undefined) {
    const begun = child.supersteps.length > 0 || child.tasks.some((task) => givenOf(task) !== null);
    return begun ? { turn: { board: child.board, given: child.tasks.map(givenOf) } } : null;
  }
  let answers = noAnswers;
  for (const { question, answer } of asked)
    if (answer !== undefined) answers = withAnswer(answers, question, answer.value);
  return Object.keys(answers).length > 0 ? { asking: { answers, recorded: [...recorded] } } : null;
}

function updatesOf(steps: readonly StepData[]): readonly unknown[] {
  return steps.flatMap((step) => ("write" in step ? [step.write] : []));
}

/** Without what only the engine goes on with. */
export function publicOf({ step, source, state, next, pending, writes, inner }: Boundary): InnerCheckpoint {
  return { step, source, state, next, pending, writes, inner };
}
