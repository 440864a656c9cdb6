/** Strings with values in them: the tag `text` and the template `prompt`. */
import { buildError } from "../base/error.ts";
import { SlotKind, type Template } from "../model/plan.ts";
import type { Ref, RefOf, ScopeIn } from "../model/ref.ts";
import type { Scope } from "../model/scope.ts";
import { frameFor } from "./builder.ts";
import { gather } from "./gather.ts";
import { parsePrompt } from "./parse-prompt.ts";
import { addSlot } from "./slots.ts";
import { slotRef } from "./streams.ts";

type Printable = string | number | bigint | boolean;
type PrintableArg = string | number | bigint | RefOf<Printable, Scope>;

/** A string with values in it: `` text`Answer this: ${c.summary}` ``. Optional values need `orElse` first. */
export function text<V extends readonly PrintableArg[]>(
  strings: TemplateStringsArray,
  ...values: V
): Ref<string, ScopeIn<V[number]>> {
  const label = (index: number): string => `value ${index + 1} of a text`;
  return joined("text``", "text`…`", strings, values, label) as Ref<string, ScopeIn<V[number]>>;
}

/** The names in braces of a template, as the type checker reads them. `string` if the template is not a literal. */
export type PromptVariables<T extends string, Found extends string = never> = string extends T
  ? string
  : T extends `${string}{${infer Rest}`
    ? Rest extends `{${infer After}`
      ? PromptVariables<After, Found>
      : Rest extends `${infer Name}}${infer After}`
        ? PromptVariables<After, Found | Name>
        : Found
    : Found;

export interface Prompt<T extends string = string> {
  /** The values for its variables; gives the finished string, in the scope of the values. Only inside a graph. */
  <const V extends { readonly [Name in PromptVariables<T>]: PrintableArg }>(
    values: V & { readonly [Extra in Exclude<keyof V, PromptVariables<T>>]: never },
  ): Ref<string, ScopeIn<V>>;
  readonly template: T;
  /** Each once, in order of appearance. */
  readonly variables: readonly PromptVariables<T>[];
  /** The finished string from plain values: what a test or an op calls. */
  render(values: { readonly [Name in PromptVariables<T>]: Printable }): string;
}

/**
 * A template that is written once and filled in by name: `prompt("Translate {text} into {language}")`. `{{` and `}}` stand
 * for literal braces. A brace that is neither, a variable left out and one too many are each a `BuildError`; a value that
 * is null or undefined when the run gets there is `EdgeFailed` and names its variable.
 */
export function prompt<const T extends string>(template: T): Prompt<T> {
  const { strings, names } = parsePrompt(template);
  const variables = [...new Set(names)];
  const label = (index: number): string => `{${names[index]}} of a prompt`;
  const inOrder = (values: Readonly<Record<string, unknown>>): unknown[] => {
    checkVariables(variables, values);
    return names.map((name) => values[name]);
  };
  const fill = (values: Readonly<Record<string, unknown>>): unknown =>
    joined("prompt()", "prompt(…)", strings, inOrder(values), label);
  const render = (values: Readonly<Record<string, unknown>>): string => joinText(strings, inOrder(values), label);
  return Object.freeze(Object.assign(fill, { template, variables: Object.freeze(variables), render })) as never;
}

function checkVariables(variables: readonly string[], values: Readonly<Record<string, unknown>>): void {
  const given = Object.keys(values ?? {});
  const missing = variables.find((name) => !given.includes(name) || values[name] === undefined);
  if (missing !== undefined)
    throw buildError(`a prompt was given nothing for {${missing}}`, `its variables are ${variables.join(", ")}`);
  const unknown = given.find((name) => !variables.includes(name));
  if (unknown !== undefined) {
    const known = variables.length === 0 ? "it has no variables" : `its variables are ${variables.join(", ")}`;
    throw buildError(`a prompt has no {${unknown}}`, known);
  }
}

type Label = (index: number) => string;

function joined(what: string, name: string, strings: readonly string[], values: readonly unknown[], label: Label) {
  const frame = frameFor(what);
  const { template, scope } = gather(frame, values, what);
  const inputs: Template = template.type === "constant" ? { type: "constant", value: values } : template;
  const kept = [...strings];
  const fn = (read: readonly unknown[]): string => joinText(kept, read, label);
  const slot = addSlot(frame.builder, { kind: SlotKind.derive, scope, inputs, fn });
  return slotRef(frame, slot.id, name, false);
}

function joinText(strings: readonly string[], values: readonly unknown[], label: Label): string {
  let all = strings[0] ?? "";
  values.forEach((value, i) => {
    if (!isPrintable(value)) {
      throw new TypeError(`${label(i)} is ${value === null ? "null" : typeof value}, not text or a number`);
    }
    all += String(value) + (strings[i + 1] ?? "");
  });
  return all;
}

function isPrintable(value: unknown): value is Printable {
  return ["string", "number", "bigint", "boolean"].includes(typeof value);
}
