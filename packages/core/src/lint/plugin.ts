import { noRefInCondition } from "./no-ref-in-condition.ts";
import type { LintRule } from "./syntax.ts";

export interface LintPlugin {
  readonly meta: { readonly name: string };
  readonly rules: Record<"no-ref-in-condition", LintRule>;
}

/**
 * The plugin for ESLint (9 and later, flat configuration) and for oxlint. Its rules need no types.
 *
 * @example
 * export default [{ plugins: { millrace }, rules: { "millrace/no-ref-in-condition": "error" } }];
 */
export const lintPlugin: LintPlugin = {
  meta: { name: "millrace" },
  rules: { "no-ref-in-condition": noRefInCondition },
};
