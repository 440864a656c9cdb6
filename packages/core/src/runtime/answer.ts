import { errorOf } from "../base/error.ts";
import type { AskPlan } from "../model/plan.ts";
import { isCurrent } from "../state/pending.ts";
import { findQuestion } from "./questions.ts";
import type { Runner } from "./runner.ts";
import { validate } from "./validate.ts";
import { accept } from "./waiting-nodes.ts";

/** Checks an answer and gives it to the run; resolves once it is durable. A wrong one leaves the question open. */
export async function answerQuestion(runner: Runner, which: string, value: unknown, by: string): Promise<void> {
  const pending = findQuestion(runner.state, which);
  const { answer } = pending.slot.ask as AskPlan;
  const valid = await validate(answer, value, `the answer to "${pending.slot.name}"`);
  if (!isCurrent(pending) || runner.over) throw errorOf("InterruptNotFound.late", { which });
  accept(runner, pending, valid, by);
  runner.pump();
  await runner.acknowledged();
}
