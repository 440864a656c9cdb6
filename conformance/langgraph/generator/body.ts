/** Bodies as functions of LangGraph.js, interpreted from what definitions say. */
import { Command, END, interrupt, Send, type LangGraphRunnableConfig } from "@langchain/langgraph";
import type { BodyNode } from "../format/definition.ts";
import type { Json } from "../format/json.ts";
import { stepsOf, type Step } from "../interpreter/body.ts";
import type { Recording } from "./recording.ts";

export class BodyError extends Error {
  override readonly name = "BodyError";
}

type Body = (state: Record<string, unknown>, config: LangGraphRunnableConfig) => Promise<unknown>;

export function bodyOf(path: string, { do: actions }: BodyNode, recording: Recording): Body {
  return (state, config) => {
    const running = run(state, config);
    const settled = running.then(
      () => {},
      () => {},
    );
    recording.running.add(settled);
    void settled.then(() => recording.running.delete(settled));
    return running;
  };

  async function run(state: Record<string, unknown>, config: LangGraphRunnableConfig): Promise<unknown> {
    const task = String(config.configurable?.["__pregel_task_id"]);
    recording.thrown.delete(task);
    const entry = recording.enter(path);
    const answers: Json[] = [];
    for (let taken = 0; ;) {
      const steps = stepsOf(actions, { state, answers, entry });
      for (; taken < steps.length && steps[taken]!.kind !== "interrupt"; taken++)
        await takeEffect(steps[taken]!, config, (message) => recording.thrown.set(task, message));
      const asked = steps[taken];
      if (asked?.kind !== "interrupt") return resultOf(steps);
      answers.push(interrupt<Json, Json>(asked.payload));
    }
  }
}

async function takeEffect(
  step: Step,
  config: LangGraphRunnableConfig,
  thrown: (message: string) => void,
): Promise<void> {
  if (step.kind === "delay") await new Promise((resolve) => setTimeout(resolve, step.milliseconds));
  if (step.kind === "emit") config.writer?.(step.data);
  if (step.kind === "throw") {
    thrown(step.message);
    throw new BodyError(step.message);
  }
}

function resultOf(steps: readonly Step[]): unknown {
  const commands = steps.flatMap((step) => {
    if (step.kind === "write") return [new Command({ update: step.update })];
    if (step.kind === "goto") return [new Command({ goto: step.to === "END" ? END : step.to })];
    return step.kind === "send" ? [new Command({ goto: new Send(step.to, step.state) })] : [];
  });
  const [first] = steps;
  if (commands.length === 1 && first?.kind === "write") return first.update;
  return commands.length === 0 ? {} : commands;
}
