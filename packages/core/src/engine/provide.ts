import { MillraceError } from "../base/error.ts";
import { isResource } from "../build/resource.ts";
import type { Resource } from "../model/resource.ts";
import type { ResourceSource } from "../runtime/resources.ts";
import { limitsOf, type ResourceLimits } from "./limits.ts";

/** A value, or a function that makes it. A function is always taken for the maker. */
export type Provided<T> = (() => T | Promise<T>) | (T extends (...values: never[]) => unknown ? never : T);

export interface ProvideOptions<T> {
  /** Called once with the value, before anything uses it; what it throws keeps the engine from opening. */
  readonly check?: (value: T) => unknown;
  /** Called when the engine closes, after those listed later. Default: nothing is closed. */
  readonly close?: (value: T) => unknown;
  /** How much of it all runs of the engine may use together. Default: no limits. */
  readonly limits?: ResourceLimits;
  /** Make and check it when the first run that needs it starts, not when the engine opens. Default false. */
  readonly lazy?: boolean;
}

/** What a token stands for in one engine; made by `provide`. */
export interface Provision {
  readonly name: string;
  readonly source: ResourceSource;
}

const optionKeys = ["check", "close", "lazy", "limits"];

/**
 * Says what a resource is in this engine: a value, or a function that makes it, asynchronously if need be. It is made
 * once, and all runs share it.
 *
 * ```ts
 * await openEngine({
 *   resources: [provide(Db, () => connect(url), { check: (db) => db.query("select 1"), close: (db) => db.end() })],
 * });
 * ```
 *
 * @throws MillraceError `InvalidOption` for what is no token and for unknown options.
 */
export function provide<T>(
  token: Resource<T>,
  from: Provided<NoInfer<T>>,
  options: ProvideOptions<NoInfer<T>> = {},
): Provision {
  if (!isResource(token))
    throw invalid("provide needs a resource token", 'const Chat = resource<Model>("chat"); provide(Chat, value)');
  const { name } = token;
  checkOptions(name, options);
  const { check = nothing, close = nothing, lazy = false } = options;
  const make = typeof from === "function" ? (from as () => unknown) : (): unknown => from;
  const source: ResourceSource = { name, lazy, limits: limitsOf(name, options.limits), make, check, close };
  return Object.freeze({ name, source: Object.freeze(source) });
}

function nothing(): void {
  // Neither checked nor closed.
}

function checkOptions<T>(name: string, options: ProvideOptions<T>): void {
  for (const key of Object.keys(options))
    if (!optionKeys.includes(key))
      throw invalid(`resource "${name}" has no option "${key}"`, `it takes ${optionKeys.join(", ")}`);
  for (const key of ["check", "close"] as const)
    if (options[key] !== undefined && typeof options[key] !== "function")
      throw invalid(`${key} of resource "${name}" is not a function`, `write ${key}: (value) => …`);
  if (options.lazy !== undefined && typeof options.lazy !== "boolean")
    throw invalid(`lazy of resource "${name}" is ${JSON.stringify(options.lazy)}`, "it is true or false");
}

/** Checks the `resources` of an engine. */
export function sourcesOf(provisions: readonly Provision[] = []): readonly ResourceSource[] {
  if (!Array.isArray(provisions))
    throw invalid("resources is not a list", "write resources: [provide(Chat, value or factory)]");
  const names = new Set<string>();
  for (const provision of provisions as readonly (Partial<Provision> | null)[]) {
    const name = provision?.name;
    if (typeof name !== "string" || typeof provision?.source?.make !== "function")
      throw invalid("resources holds something that is not a provision", "write provide(Chat, value or factory)");
    if (names.has(name)) throw invalid(`resource "${name}" is provided twice`, "provide each name once");
    names.add(name);
  }
  return provisions.map(({ source }) => source);
}

function invalid(message: string, hint: string): MillraceError {
  return new MillraceError("InvalidOption", message, { hint });
}
