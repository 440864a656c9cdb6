/** What a caller tells a run, checked before there is a run. */
import { deepFreeze } from "../base/freeze.ts";
import { decode } from "../journal/codec/codec.ts";
import { encodeAs } from "../journal/encode-as.ts";
import type { Plan } from "../model/plan.ts";
import { validate } from "../runtime/validate.ts";
import type { CallerValues } from "../state/run-state.ts";

/**
 * The value through the schema of each caller context that the graph needs, by name. Null: it needs none. The run's own
 * copy, frozen, with a backend or without one: it is the same for every op and after every crash.
 *
 * @throws MillraceError `InvalidValue` for what does not match; `Unencodable` for what cannot be journaled.
 */
export function callerValues(plan: Plan, context: unknown): CallerValues | Promise<CallerValues> | null {
  if (plan.contexts.length === 0) return null;
  const given = context === undefined ? " (the run was started without one: pass { context })" : "";
  const parts = plan.contexts.map(({ name, schema }) =>
    validate(schema, context, `the caller's context "${name}" of graph "${plan.name}"${given}`),
  );
  const own = (values: readonly unknown[]): CallerValues => {
    const named = Object.fromEntries(plan.contexts.map(({ name }, i) => [name, values[i]]));
    const copy = decode(encodeAs("context", named)) as CallerValues;
    deepFreeze(copy);
    return copy;
  };
  return parts.some((part) => part instanceof Promise) ? Promise.all(parts).then(own) : own(parts);
}
