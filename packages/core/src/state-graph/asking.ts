/** A task that may ask: it runs from its top, with the answers, until it asks nothing more. */
import { derive } from "../build/values.ts";
import { interrupt } from "../build/outside.ts";
import { loop } from "../build/blocks/loop.ts";
import { when } from "../build/blocks/choose.ts";
import type { Op } from "../model/op.ts";
import type { Ref } from "../model/ref.ts";
import type { Item } from "../model/scope.ts";
import type { Done } from "./board-data.ts";
import type { StepData } from "./steps.ts";
import type { Question } from "./shape.ts";
import { noAnswers, noneRecorded, withAnswer, type Answers, type Asking, type TaskInput } from "./task-input.ts";

const first: Asking = { answers: noAnswers, recorded: noneRecorded };

type Answer = { readonly question: string; readonly value: unknown } | undefined;

export function asking(
  run: Op<TaskInput, Done>,
  asks: readonly (readonly [string, Question])[],
  input: { readonly state: Ref<unknown, Item>; readonly step: Ref<number> },
  begun: Ref<Asking | null, Item>,
  parallel: number,
): Ref<Done, Item> {
  const start = derive(begun, (before) => before ?? first);
  return loop("asks", { parallel }, { at: start }, ({ at }) => {
    const now = at;
    const { answers, recorded } = at as unknown as {
      answers: Ref<Answers, Item>;
      recorded: Ref<readonly StepData[], Item>;
    };
    const done = run({ ...input, answers, recorded } as never, { parallel } as never) as unknown as Ref<Done, Item>;
    const answered = asks.map(([name, question]) => asked(name, question, done));
    const next = derive({ now, done, answered }, (all) => after(all.now, all.done, all.answered as readonly Answer[]));
    const until = derive(done, ({ steps }) => !steps.some((step) => "ask" in step));
    const result = derive(next, ({ recorded: steps, cancel }): Done =>
      cancel === true ? { steps, cancel } : { steps },
    );
    return { next: { at: next } as never, until: until as never, result };
  });
}

/** The question as a node that is asked when the task asked it, under its own name. */
function asked(name: string, question: Question, done: Ref<Done, Item>): Ref<Answer, Item> {
  const payload = derive(done, ({ steps }) => {
    const step = steps.findLast((one) => "ask" in one && one.ask === name) as { readonly payload: unknown } | undefined;
    return step === undefined ? null : { given: step.payload };
  });
  const isAsked = derive(payload, (given) => given !== null);
  return when(`${name}_`, isAsked, () => {
    const answer = interrupt(
      name,
      derive(payload, (one) => one?.given),
      question as never,
    );
    return { question: name, value: answer };
  });
}

function after(now: Asking, done: Done, answered: readonly Answer[]): Asking {
  let { answers } = now;
  for (const answer of answered) if (answer !== undefined) answers = withAnswer(answers, answer.question, answer.value);
  const recorded = [...now.recorded, ...done.steps.filter((step) => !("ask" in step))];
  const cancel = now.cancel === true || done.cancel === true;
  return cancel ? { answers, recorded, cancel } : { answers, recorded };
}
