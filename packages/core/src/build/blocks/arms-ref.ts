import { lenient } from "../gather.ts";
import { buildError } from "../../base/error.ts";
import { nearest } from "../../base/name.ts";
import { SlotKind, type Template } from "../../model/plan.ts";
import type { Frame } from "../builder.ts";
import { oneSlot } from "../collectors.ts";
import { fieldOf, NOTHING } from "../field.ts";
import type { RefInfo } from "../ref-info.ts";
import { addSlot } from "../slots.ts";
import type { Arm } from "./closure.ts";
import { leaveStream, streamOf } from "./leave.ts";

/** A block with arms, as its result sees it. */
export interface Choice {
  readonly frame: Frame;
  /** The slot of the block, and the scope it is in. */
  readonly block: number;
  readonly home: number;
  readonly arms: readonly Arm[];
}

/**
 * The result of a block with arms. Each field that is read goes out of the arms by itself, as soon as it resolves there,
 * so a slot is made for what is read and for nothing else.
 */
export class ArmsRef implements RefInfo {
  readonly frame: Frame;
  readonly label: string;
  readonly named = true;
  readonly key: string;
  readonly kind = "value" as const;
  readonly #choice: Choice;
  /** By arm. */
  readonly #templates: readonly Template[];
  readonly #fields: Map<string, ArmsRef> = new Map();
  #template: Template | null = null;

  constructor(choice: Choice, templates: readonly Template[], label: string, key: string) {
    this.frame = choice.frame;
    this.label = label;
    this.key = key;
    this.#choice = choice;
    this.#templates = templates;
  }

  /** Of the whole: what a `taken` gives on, or the items of a stream that leaves the arms. */
  get template(): Template {
    return (this.#template ??= this.#isStream
      ? leaveStream(this.#choice, this.#templates, this.label, true)
      : taken(this.#choice, this.#templates));
  }

  get #isStream(): boolean {
    const { arms, frame } = this.#choice;
    return this.#templates.some((template, arm) => streamOf(frame.builder, arms[arm]!, template) >= 0);
  }

  field(key: string, check: boolean): ArmsRef {
    let field = this.#fields.get(key);
    if (field !== undefined) return field;
    if (check) this.#check(key);
    // What one arm has and another has not is `undefined` there, not a failure.
    const templates = this.#templates.map((template, arm) => lenient(fieldOf(this.#inArm(template, arm), key, false)));
    field = new ArmsRef(this.#choice, templates, `${this.label}.${key}`, `${this.key}\0${key}`);
    this.#fields.set(key, field);
    return field;
  }

  #inArm(template: Template, arm: number): RefInfo {
    return { frame: this.#choice.arms[arm]!.frame, template, label: this.label, named: false, key: "", kind: "value" };
  }

  /** When what each arm returned is written out, a key that none has is a mistake. */
  #check(key: string): void {
    const known = this.#templates.flatMap((template) => (template.type === "object" ? template.keys : []));
    if (known.includes(key) || !this.#templates.every((template) => template.type === "object")) return;
    const near = nearest(key, known);
    const all = known.length === 0 ? "they have no keys" : `they have ${[...new Set(known)].join(", ")}`;
    throw buildError(
      `no arm of ${this.label} returns a key "${key}"`,
      near === undefined ? all : `did you mean "${near}"? ${all}`,
      "UnknownKey",
    );
  }
}

function taken({ frame, block, home, arms }: Choice, templates: readonly Template[]): Template {
  const { builder } = frame;
  const from = templates.map((template, arm) =>
    isNothing(template) ? -1 : oneSlot(builder, template, arms[arm]!.frame.scope),
  );
  const slot = addSlot(builder, { kind: SlotKind.taken, scope: home, arms: { block, from } });
  (builder.slots[block]!.block!.outputs as number[]).push(slot.id);
  return { type: "source", source: { slot: slot.id, path: [], strict: false } };
}

function isNothing(template: Template): boolean {
  return template === NOTHING;
}
