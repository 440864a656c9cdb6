/** `@millrace/core/lint`: rules for what neither the compiler nor the build can see. */
export { lintPlugin as default, type LintPlugin } from "./plugin.ts";
