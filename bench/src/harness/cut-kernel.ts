/**
 * A second copy of `@millrace/core` in this process, from which tests are cut out of the source as it is loaded: each is
 * answered for good. What the copy still does, it does as the real one.
 *
 * Two copies, not two modes of one: a mode is a test, and the tests are what is measured.
 */
import { registerHooks, type LoadHookSync, type ResolveHookSync } from "node:module";
import type * as Core from "@millrace/core";

export interface Cut {
  readonly what: RegExp;
  readonly by: string | ((match: string, operator: string) => string);
}

/** Where the hot path is. */
const concerned = /\/src\/(?:runtime|scheduler)\//;

/** Loads the cut copy, and says how many places were cut. `name` marks its modules, and whatever they import. */
export async function cutKernel(name: string, cuts: readonly Cut[]): Promise<{ core: typeof Core; places: number }> {
  const mark = `?${name}`;
  const found = cuts.map(() => 0);
  const resolve: ResolveHookSync = (specifier, context, next) => {
    const asked = specifier.endsWith(mark) ? specifier.slice(0, -mark.length) : specifier;
    const resolved = next(asked, context);
    const belongs = asked !== specifier || context.parentURL?.endsWith(mark) === true;
    return belongs && resolved.url.startsWith("file:") ? { ...resolved, url: resolved.url + mark } : resolved;
  };
  const load: LoadHookSync = (url, context, next) => {
    const loaded = next(url, context);
    if (!url.endsWith(mark) || !concerned.test(url) || loaded.source === undefined) return loaded;
    let source = typeof loaded.source === "string" ? loaded.source : new TextDecoder().decode(loaded.source);
    for (const [i, { what, by }] of cuts.entries()) {
      found[i]! += source.match(what)?.length ?? 0;
      source = source.replaceAll(what, by as string);
    }
    return { ...loaded, source };
  };
  const hooks = registerHooks({ resolve, load });
  try {
    const specifier = `@millrace/core${mark}`;
    const core = (await import(specifier)) as typeof Core;
    const missing = cuts.find((_, i) => found[i] === 0);
    // Otherwise the kernel was rewritten, and would be measured against itself.
    if (missing !== undefined) throw new Error(`nothing in the kernel matches ${missing.what} any more: mend the cuts`);
    return { core, places: found.reduce((a, b) => a + b, 0) };
  } finally {
    hooks.deregister();
  }
}
