/** Which parts of which values may leave the process with a trace. */
import { MillraceError } from "../../base/error.ts";

/** `node`, `node.input`, `node.output.user.password`, `*.input.apiKey`; a `*` stands for any node or any one field. */
export type FieldPattern = string;

interface Rule {
  readonly node: string;
  readonly side: string;
  readonly path: readonly string[];
}

/** What of one value is shown: everything, nothing, or the parts that neither list rules out. */
export interface Shown {
  /** Paths of which everything is shown; null: of all. */
  readonly only: readonly (readonly string[])[] | null;
  readonly hidden: readonly (readonly string[])[];
}

const everything: Shown = { only: null, hidden: [] };
const pattern = /^(\*|[A-Za-z_][\w/-]*)(?:\.(input|output)((?:\.[^.]+)*))?$/;

export class Fields {
  readonly #include: readonly Rule[] | null;
  readonly #exclude: readonly Rule[];

  /** @throws MillraceError `InvalidOption` for a pattern that could never match: a secret must not leak by a typo. */
  constructor(include: readonly FieldPattern[] | undefined, exclude: readonly FieldPattern[] | undefined) {
    this.#include = include === undefined ? null : include.flatMap(parse);
    this.#exclude = (exclude ?? []).flatMap(parse);
  }

  of(node: string, side: "input" | "output"): Shown {
    if (this.#include === null && this.#exclude.length === 0) return everything;
    const mine = (rules: readonly Rule[]): (readonly string[])[] =>
      rules.filter((rule) => (rule.node === "*" || rule.node === node) && rule.side === side).map(({ path }) => path);
    const only = this.#include === null ? null : mine(this.#include);
    return { only: only?.some((path) => path.length === 0) === true ? null : only, hidden: mine(this.#exclude) };
  }
}

function parse(text: FieldPattern): Rule[] {
  const match = typeof text === "string" ? pattern.exec(text) : null;
  if (match === null)
    throw new MillraceError("InvalidOption", `${JSON.stringify(text)} names no part of a trace`, {
      hint: "write node, node.input, node.output.field, or * for any node or field",
    });
  const [, node = "", side, fields = ""] = match;
  const path = fields.split(".").slice(1);
  return (side === undefined ? ["input", "output"] : [side]).map((each) => ({ node, side: each, path }));
}

/** The same for the field `key` of the value; null: it is hidden. Elements of lists have the fields of the list. */
export function fieldOf({ only, hidden }: Shown, key: string): Shown | null {
  const below = (paths: readonly (readonly string[])[]): (readonly string[])[] =>
    paths.filter(([first]) => first === key || first === "*").map((path) => path.slice(1));
  const inside = below(hidden);
  if (inside.some((path) => path.length === 0)) return null;
  if (only === null) return { only: null, hidden: inside };
  const kept = below(only);
  if (kept.length === 0) return null;
  return { only: kept.some((path) => path.length === 0) ? null : kept, hidden: inside };
}

export function isHidden({ only, hidden }: Shown): boolean {
  return only?.length === 0 || hidden.some((path) => path.length === 0);
}
