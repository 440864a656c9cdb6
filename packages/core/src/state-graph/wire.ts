/** What a body came to, as it travels: its steps before they are checked, which is done where the run is. */
import { errorOf } from "../base/error.ts";
import type { TaskName } from "../ports/task-executor.ts";
import { stepsOf, type StepData } from "./steps.ts";

export interface Ran {
  readonly steps: readonly StepData[];
  readonly cancel?: true;
}

/** @throws MillraceError `NotSteps` */
export function ranOf(node: string, returned: unknown, isCancelled: boolean): Ran {
  const given = stepsOf(node, returned);
  return isCancelled ? { steps: given, cancel: true } : { steps: given };
}

/**
 * Of what came back from wherever the body ran.
 *
 * @throws MillraceError `UndecodableStep`
 */
export function readRan({ graph, node }: TaskName, value: unknown): Ran {
  const { steps, cancel } = (isRecord(value) ? value : {}) as Partial<Ran>;
  if (!Array.isArray(steps)) throw errorOf("UndecodableStep", { graph, node, reason: "it has no list of steps" });
  const at = steps.findIndex((step) => !isStep(step));
  if (at >= 0) throw errorOf("UndecodableStep", { graph, node, reason: `step ${at} is none` });
  return cancel === true ? { steps, cancel } : { steps };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function isStep(step: unknown): boolean {
  if (!isRecord(step)) return false;
  const keys = Object.keys(step).toSorted().join();
  if (keys === "write") return true;
  if (keys === "goto") return step["goto"] === null || typeof step["goto"] === "string";
  if (keys === "send,state") return typeof step["send"] === "string";
  return keys === "ask,payload" && typeof step["ask"] === "string";
}
