/** Names of nodes where edges, branches and breakpoints are declared: what is none is refused where it is written. */
import { buildError, type MillraceError } from "../base/error.ts";
import { checkKeys } from "../build/options.ts";
import { isSchema } from "../build/shape.ts";
import { isName } from "../base/name.ts";
import { END, START, START_NAME } from "./names.ts";
import type { NodeOptions, Questions } from "./shape.ts";

/** A node, or the start. `where`: `an edge of state graph agent`. */
export function sourceOf(where: string, from: unknown): string {
  if (from === START) return START_NAME;
  if (typeof from === "string") return from;
  throw from === END
    ? buildError(`${where} begins at END`, "nothing follows the end: begin at a node, or at START")
    : notAName(where, "begins", from);
}

/** A node, or null for the end. */
export function targetOf(where: string, to: unknown): string | null {
  if (to === END) return null;
  if (typeof to === "string") return to;
  throw to === START
    ? buildError(`${where} leads to START`, "a turn begins there, and nothing leads back to it: name a node, or END")
    : notAName(where, "leads", to);
}

/** `what`: `the targets of a branch of state graph agent`. */
export function targetsOf(what: string, given: unknown): readonly (string | null)[] {
  return listOf(what, given).map((to) => targetOf(`one of ${what}`, to));
}

export function nodesOf(what: string, given: unknown): readonly string[] {
  const list = listOf(what, given);
  for (const node of list) if (typeof node !== "string") throw notAName(`one of ${what}`, "names", node);
  return list as readonly string[];
}

function listOf(what: string, given: unknown): readonly unknown[] {
  if (Array.isArray(given)) return given;
  throw buildError(`${what} are ${kindOf(given)}`, 'name nodes in a list: ["think", "act"]');
}

function notAName(where: string, does: string, given: unknown): MillraceError {
  const list = Array.isArray(given) ? "one call per node, or a join, takes lists apart" : "it is the name of a node";
  return buildError(`${where} ${does} ${kindOf(given)}`, list);
}

function kindOf(given: unknown): string {
  if (given === null || given === undefined) return String(given);
  if (Array.isArray(given)) return "a list";
  return typeof given === "object" ? "an object" : `a ${typeof given}`;
}

const nodeOptions = [
  "retry",
  "timeout",
  "cache",
  "effect",
  "version",
  "needs",
  "context",
  "onFailure",
  "asks",
  "defer",
];

/** A question is a block of its own in the plan, called by its name and one letter more. */
const longestQuestion = 63;

/** What a node is declared with, besides its policies, which the op that runs it checks. */
export function checkNodeOptions(where: string, options: NodeOptions<Questions>): void {
  checkKeys(where, options, nodeOptions);
  const { defer = false, asks = {} } = options;
  if (typeof defer !== "boolean") throw buildError(`defer of ${where} is ${kindOf(defer)}`, "write defer: true");
  if (typeof asks !== "object" || asks === null || Array.isArray(asks))
    throw buildError(`asks of ${where} is ${kindOf(asks)}`, "write asks: { approve: { answer: schema } }");
  for (const [name, question] of Object.entries(asks)) checkQuestion(where, name, question);
}

function checkQuestion(where: string, name: string, question: unknown): void {
  if (!isName(name) || name.length > longestQuestion)
    throw buildError(
      `${JSON.stringify(name)} cannot name a question of ${where}`,
      `names are a letter or _, then letters, digits, _ or -, ${longestQuestion} in all`,
      "BadName",
    );
  const what = `question ${name} of ${where}`;
  checkKeys(what, question as object, ["answer", "timeout", "default", "title"]);
  if (!isSchema((question as { readonly answer?: unknown }).answer))
    throw buildError(
      `${what} does not say what an answer is`,
      "give answer: a Standard Schema, such as z.object({ … })",
      "NotASchema",
    );
}
