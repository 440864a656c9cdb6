/** What `simulate` can be asked for, said before anything is played. */
import { MillraceError } from "../../base/error.ts";
import type { Plan } from "../../model/plan.ts";
import { faultKinds } from "./faults.ts";
import type { SimulateOptions } from "./simulate.ts";

/** Not everybody has types. */
export function checkInput(options: Partial<SimulateOptions<unknown>> | undefined): void {
  if (options?.input !== undefined) return;
  throw new MillraceError("InvalidOption", "simulate: there is no input", {
    hint: "input: { … }, or input: (seed) => …; of a graph without inputs, input: {}",
  });
}

function refuse(problem: string, hint: string): never {
  throw new MillraceError("InvalidOption", `simulate: ${problem}`, { hint });
}

export function checkPlan(plan: Plan, options: SimulateOptions<unknown>): void {
  checkNumbers(options);
  const { name, slots } = plan;
  const { answer, durability } = options;
  const live = slots.find(({ op }) => op?.live !== undefined);
  if (live !== undefined)
    refuse(`"${live.name}" of "${name}" is a live input, which cannot be resumed`, "simulate the graph behind it");
  const unsafe = slots.find(({ op }) => op?.effect === "unsafe");
  if (durability === "exit" && unsafe !== undefined)
    refuse(`"${unsafe.name}" of "${name}" is unsafe, which exit durability does not run`, 'durability: "sync"');
  const asked = slots.find(({ ask }) => ask !== null && ask.timeout === 0);
  if (asked !== undefined && answer === undefined)
    refuse(`"${asked.name}" of "${name}" waits for an answer`, "answer: (question) => …");
}

function checkNumbers({ workers = 3, runs = 1, faults = [] }: SimulateOptions<unknown>): void {
  for (const [what, count] of [
    ["workers", workers],
    ["runs", runs],
  ] as const)
    if (!Number.isSafeInteger(count) || count < 1)
      refuse(`${what} is a number from 1 on`, `leave it out, or ${what}: 3`);
  const unknown = faults.find((kind) => !faultKinds.includes(kind));
  if (unknown !== undefined) refuse(`there is no fault "${unknown}"`, `there are ${faultKinds.join(", ")}`);
}
