/** By the name of a definition: where Millrace is expected to do otherwise than LangGraph.js did. */
import type { Otherwise } from "../format/definition.ts";
import { failures } from "./failures.ts";
import { gotoAndBranch } from "./goto-and-branch.ts";
import { limits } from "./limits.ts";
import { questions } from "./questions.ts";
import { threads } from "./threads.ts";
import { writeConflicts } from "./write-conflicts.ts";

export const ours: Readonly<Record<string, readonly Otherwise[]>> = {
  ...gotoAndBranch,
  ...limits,
  ...writeConflicts,
  ...failures,
  ...questions,
  ...threads,
};
