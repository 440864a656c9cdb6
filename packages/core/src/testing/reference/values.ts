/** The value that a slot's template describes, seen from one place. */
import { MillraceError } from "../../base/error.ts";
import type { SlotPlan, Source, Template } from "../../model/plan.ts";
import { at, enclosing, slotOf, type Place, type World } from "./world.ts";

/** A key that must exist does not: the failure of the source that lacks it. */
export class MissingKey extends MillraceError {
  readonly anchor: number;

  constructor(anchor: number, message: string) {
    super("EdgeFailed", message);
    this.anchor = anchor;
  }
}

/** Throws `MissingKey`. */
export function inputOf(world: World, place: Place, slot: SlotPlan): unknown {
  return slot.inputs === null ? undefined : evaluate(world, place, slot.inputs);
}

function evaluate(world: World, place: Place, template: Template): unknown {
  switch (template.type) {
    case "constant":
      return template.value;
    case "source":
      return sourceValue(world, place, template.source);
    case "array":
      return template.items.map((item) => evaluate(world, place, item));
    case "object":
      return Object.fromEntries(
        template.keys.map((key, i) => [key, evaluate(world, place, template.values[i] as Template)]),
      );
  }
}

function sourceValue(world: World, place: Place, { slot, path, strict }: Source): unknown {
  const source = slotOf(world, slot);
  const how = world.resolved.get(at(enclosing(place, source.scope), slot));
  const value = how?.as === "value" ? how.value : undefined;
  const [first] = path;
  if (strict && first !== undefined && !hasKey(value, first)) throw missingKey(world, source, first, value);
  return path.reduce<unknown>(readField, value);
}

function hasKey(value: unknown, key: string): boolean {
  return value !== null && value !== undefined && key in Object(value);
}

/** A missing step gives undefined; methods that every object inherits are not fields. */
function readField(value: unknown, key: string): unknown {
  if (value === null || value === undefined) return undefined;
  const field = (value as Record<string, unknown>)[key];
  const own = Object.hasOwn(Object(value), key);
  return !own && (typeof field === "function" || key === "__proto__") ? undefined : field;
}

function missingKey(world: World, source: SlotPlan, key: string, value: unknown): MissingKey {
  const keys = typeof value === "object" && value !== null ? Object.keys(value) : [];
  const has =
    keys.length > 0 ? `its keys are ${keys.join(", ")}` : `its value is ${value === null ? "null" : typeof value}`;
  const { name } = slotOf(world, source.anchor);
  return new MissingKey(source.anchor, `the output of "${name}" has no key "${key}"; ${has}`);
}
