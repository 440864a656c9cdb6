import { errorOf } from "../../base/error.ts";
import { nearest } from "../../base/name.ts";
import { SlotKind, type Plan, type SlotPlan, type Template } from "../../model/plan.ts";
import { follow } from "../../runtime/observe.ts";
import type { Outcome } from "../../runtime/outcome.ts";
import type { ItemsOptions } from "./events.ts";
import { ItemsReader } from "./items-reader.ts";
import { Iteration } from "./iteration.ts";
import type { LiveSource } from "./open-stream.ts";

/** `failure`: what an open stream ends with when its run came to `outcome`. */
export function itemsOfLive(
  run: LiveSource,
  key: string | undefined,
  failure: (outcome: Outcome) => Error,
  { onReset = null as never }: ItemsOptions = {},
): Iteration<unknown> {
  const { runner } = run;
  const { plan } = runner.state.program;
  const collector = streamOutput(plan, key);
  return new Iteration((wake) => {
    const durable = (): number => (runner.recorder === null ? Infinity : runner.recorder.durable);
    const close = (): void => {
      stop();
      forget();
    };
    const reader: ItemsReader = new ItemsReader(runner.state, collector, durable, wake, close, onReset);
    const stop = follow(runner, runner.host.clock, reader);
    const forget = run.onOutcome((outcome) => {
      if (outcome instanceof Error) reader.lose(outcome);
      else reader.settle(failure(outcome));
    });
    return reader;
  });
}

/** The slot that gathers the output `key`, or the whole output. */
export function streamOutput(plan: Plan, key: string | undefined): SlotPlan {
  const template = plan.slots[plan.output]?.inputs ?? null;
  const slot = template === null ? undefined : collectorIn(plan, part(template, key));
  if (slot !== undefined) return slot;
  const keys = streamKeys(plan, template);
  const close = key === undefined ? undefined : nearest(key, keys);
  const what = key === undefined ? "as a whole is no stream" : `has no stream "${key}"`;
  throw errorOf("NoSuchStream", {
    graph: plan.name,
    what,
    known: close === undefined ? `its streams: ${keys.join(", ") || "none"}` : `did you mean "${close}"?`,
  });
}

function part(template: Template, key: string | undefined): Template | undefined {
  if (key === undefined) return template;
  return template.type === "object" ? template.values[template.keys.indexOf(key)] : undefined;
}

function streamKeys(plan: Plan, template: Template | null): string[] {
  if (template?.type !== "object") return [];
  return template.keys.filter((_, i) => collectorIn(plan, template.values[i]) !== undefined);
}

function collectorIn(plan: Plan, template: Template | undefined): SlotPlan | undefined {
  if (template?.type !== "source" || template.source.path.length > 0) return undefined;
  const slot = plan.slots[template.source.slot];
  // A list that was collected with what failed as data, or without it, is a value like others.
  return slot?.kind === SlotKind.collect && slot.collect?.errors === "fail" ? slot : undefined;
}
