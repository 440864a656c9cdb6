/** `millrace/lint`: the rules of `@millrace/core/lint` for ESLint and oxlint. */
export { default, type LintPlugin } from "@millrace/core/lint";
