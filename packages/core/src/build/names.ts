import { buildError } from "../base/error.ts";
import { isName } from "../base/name.ts";
import type { Frame } from "./builder.ts";

const RULE = "names are a letter or _, then up to 63 letters, digits, _ or -";

/** Every graph's input goes by this name in paths, errors and stream segments. */
export const INPUT_NAME = "input";

/** Refuses what cannot name an op, graph, node, stream or cell. */
export function checkName(what: string, name: unknown): asserts name is string {
  if (typeof name !== "string") throw buildError(`the name of ${what} is ${describe(name)}`, RULE, "BadName");
  if (!isName(name)) throw buildError(`${JSON.stringify(name)} cannot name ${what}`, RULE, "BadName");
  if (name === INPUT_NAME)
    throw buildError(`"input" cannot name ${what}`, "it names the graph's own input; choose another name", "BadName");
}

/**
 * Takes `name` in the naming scope of the running body and returns the scoped name.
 *
 * @param how says where a name is given: of calls it is an option, of blocks the first argument.
 */
export function takeName(frame: Frame, what: string, name: unknown, how: string = FIRST_ARGUMENT): string {
  checkName(what, name);
  return takeScoped(frame, what, frame.prefix + name, how);
}

const FIRST_ARGUMENT = "its first argument";
/** Of what has its name among its options. */
export const AN_OPTION = '{ name: "…" }';

/** The same for a name that is already scoped. */
export function takeScoped(frame: Frame, what: string, scoped: string, how: string = AN_OPTION): string {
  const { names } = frame.builder;
  if (names.has(scoped)) {
    throw buildError(
      `"${scoped}" is used twice in graph ${frame.builder.graph}`,
      `give ${what} a name of its own: ${how}`,
      "DuplicateName",
    );
  }
  names.add(scoped);
  return scoped;
}

function describe(value: unknown): string {
  return value === undefined ? "missing" : `not a string but ${value === null ? "null" : typeof value}`;
}
