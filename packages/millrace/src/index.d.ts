/** Everything an application imports: the engine of `@millrace/core` and its Node parts, under one name. */
export * from "@millrace/core";
export * from "@millrace/core/node";
export { type Progress, showProgress } from "./cli/progress/show-progress.ts";
