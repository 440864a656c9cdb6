/**
 * What the calls around an op say about its resources.
 *
 * B1  Bindings apply from the inside out: the op call's own, then those of each graph call around it. Each renames once,
 *     so an inner binding decides first, and an outer one may rename what the inner chose.
 * B2  They are resolved when the graph is built: the plan names the resource that each key of an op stands for.
 */
import { buildError } from "../base/error.ts";
import type { Needs } from "../model/resource.ts";

/** One call's bindings, from name to name, with those that something inside used. */
export interface BindLevel {
  readonly where: string;
  readonly names: ReadonlyMap<string, string>;
  readonly used: Set<string>;
}

/** Checks the `bind` of a call. Null: it says nothing. */
export function bindLevel(where: string, bind: unknown): BindLevel | null {
  if (bind === undefined) return null;
  if (!Array.isArray(bind)) throw buildError(`bind of ${where} is not a list`, "write bind: [Chat.to(Big)]");
  const names = new Map<string, string>();
  for (const binding of bind as readonly unknown[]) {
    const { from, to } = (typeof binding === "object" && binding !== null ? binding : {}) as Record<string, unknown>;
    if (typeof from !== "string" || typeof to !== "string")
      throw buildError(`bind of ${where} holds something that is not a binding`, "write bind: [Chat.to(Big)]");
    if (names.has(from))
      throw buildError(`bind of ${where} binds resource ${from} twice`, "name each resource once per call");
    names.set(from, to);
  }
  return names.size === 0 ? null : { where, names, used: new Set() };
}

/** B1, B2: the names of the resources that the keys of `needs` stand for. `levels` from the inside out. */
export function resolveNeeds(
  needs: Needs | null,
  levels: readonly BindLevel[],
): Readonly<Record<string, string>> | null {
  if (needs === null) return null;
  return Object.freeze(
    Object.fromEntries(Object.entries(needs).map(([key, token]) => [key, resolveName(token.name, levels)])),
  );
}

function resolveName(name: string, levels: readonly BindLevel[]): string {
  let bound = name;
  for (const { names, used } of levels) {
    const to = names.get(bound);
    if (to === undefined) continue;
    used.add(bound);
    bound = to;
  }
  return bound;
}

/** A binding that changes nothing is a mistake: the resource is called otherwise, or is bound further in already. */
export function refuseUnused({ where, names, used }: BindLevel): void {
  for (const from of names.keys()) {
    if (used.has(from)) continue;
    throw buildError(
      `bind of ${where} binds resource ${from}, which nothing inside needs`,
      "leave it out, or bind the resource that the ops inside end up with",
    );
  }
}
