import type { StepData } from "./steps.ts";

/** What a task is given besides its state. */
export interface TaskInput {
  /** What the node reads: the graph's state, or one that was sent. */
  readonly state: unknown;
  /** Number of the superstep, from 0; the first one of a new thread is 1. */
  readonly step: number;
  readonly answers: Answers;
  /** What it wrote before it asked. */
  readonly recorded: readonly StepData[];
}

/** By question, in the order they were given. */
export type Answers = Readonly<Record<string, readonly unknown[]>>;

/** Of a question called like what every object has, too. */
export function answersTo(answers: Answers, question: string): readonly unknown[] {
  return Object.hasOwn(answers, question) ? answers[question]! : [];
}

/** With one more. */
export function withAnswer(answers: Answers, question: string, value: unknown): Answers {
  return { ...answers, [question]: [...answersTo(answers, question), value] };
}

export const noAnswers: Answers = Object.freeze({});
export const noneRecorded: readonly StepData[] = Object.freeze([]);

/** A task between its questions. */
export interface Asking {
  readonly answers: Answers;
  /** What it gave before it asked: that stands. */
  readonly recorded: readonly StepData[];
  /** It asked for the turn to stop. */
  readonly cancel?: true;
}
