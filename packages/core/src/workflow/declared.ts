/** What a workflow declares beside its body, checked and put into the form that its graph is made of. */
import { buildError } from "../base/error.ts";
import { isName } from "../base/name.ts";
import { BODY_NAME, CALL_NAME } from "../build/conversation.ts";
import { definitionOf } from "../build/definition.ts";
import { checkKeys, checkVersion } from "../build/options.ts";
import { isSchema } from "../build/shape.ts";
import type { StandardSchemaV1 } from "../model/standard-schema.ts";
import type { Callee, WorkflowQuestion, WorkflowQuestions } from "./ctx.ts";

/** As written. */
export interface Written {
  readonly input?: StandardSchemaV1;
  readonly uses?: readonly Callee[] | Readonly<Record<string, Callee>>;
  readonly asks?: WorkflowQuestions;
  readonly emits?: readonly string[];
  readonly version?: string;
  readonly title?: string;
}

export interface Declared {
  readonly workflow: string;
  readonly version: string;
  /** By the names of their nodes. */
  readonly uses: ReadonlyMap<string, Callee>;
  /** The names again, by what is called. */
  readonly names: ReadonlyMap<Callee, string>;
  readonly asks: ReadonlyMap<string, WorkflowQuestion>;
  readonly emits: ReadonlySet<string>;
}

const KEYS = ["input", "uses", "asks", "emits", "version", "title"];

/** The node of `w.sleep`. */
export const SLEEP_NAME = "sleep";

export function declaredOf(workflow: string, options: object): Declared {
  const where = `workflow ${workflow}`;
  checkKeys(where, options, KEYS);
  const { uses = [], asks = {}, emits = [] } = options as Written;
  const version = checkVersion(where, (options as Written).version);
  const used = usesOf(where, uses);
  refuseTwice(where, [...used.map(([name]) => name), ...Object.keys(asks), ...emits]);
  for (const [name, question] of Object.entries(asks)) checkQuestion(where, name, question);
  const names = new Map(used.map(([name, callee]) => [callee, name]));
  if (names.size < used.length)
    throw buildError(
      `${where} uses something twice`,
      "name it once: a body may call it as often as it likes",
      "DuplicateName",
    );
  return { workflow, version, uses: new Map(used), names, asks: new Map(Object.entries(asks)), emits: new Set(emits) };
}

function usesOf(where: string, uses: NonNullable<Written["uses"]>): (readonly [string, Callee])[] {
  if (typeof uses !== "object" || uses === null)
    throw buildError(`uses of ${where} is neither a list nor a record`, "write uses: [classify, draft]");
  const entries = Array.isArray(uses)
    ? (uses as readonly Callee[]).map((callee) => [callee?.name ?? "", callee] as const)
    : Object.entries(uses);
  for (const [name, callee] of entries)
    if (definitionOf(callee) === undefined)
      throw buildError(
        `what ${where} uses${name === "" ? "" : ` as ${name}`} is neither an op nor a graph`,
        "pass what op(), graph(), stateGraph(…).compile() or workflow() returned",
      );
  return entries;
}

/** All are nodes of one graph. */
function refuseTwice(where: string, names: readonly string[]): void {
  const taken = new Set([BODY_NAME, CALL_NAME, SLEEP_NAME]);
  for (const name of names) {
    if (!isName(name))
      throw buildError(
        `${JSON.stringify(name)} cannot name anything of ${where}`,
        "names are a letter or _, then up to 63 letters, digits, _ or -",
        "BadName",
      );
    if (taken.has(name))
      throw buildError(
        `"${name}" is used twice in ${where}`,
        "what it uses, asks and emits has names of its own, and none is body, call or sleep; give another by uses: { otherName: … }",
        "DuplicateName",
      );
    taken.add(name);
  }
}

function checkQuestion(where: string, name: string, question: WorkflowQuestion): void {
  if (typeof question === "object" && question !== null && isSchema(question.answer)) return;
  throw buildError(
    `question ${name} of ${where} does not say what an answer is`,
    `write asks: { ${name}: { answer: z.object({ … }) } }`,
    "NotASchema",
  );
}
