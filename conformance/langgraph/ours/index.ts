/** By the name of a definition: where Millrace is expected to do otherwise than LangGraph.js did. */
import type { Otherwise } from "../format/definition.ts";
import { failures } from "./failures.ts";
import { gotoAndBranch } from "./goto-and-branch.ts";
import { limits } from "./limits.ts";
import { questions } from "./questions.ts";
import { streams } from "./streams.ts";
import { threads } from "./threads.ts";
import { writeConflicts } from "./write-conflicts.ts";

const all = [gotoAndBranch, limits, writeConflicts, failures, questions, threads, streams];

export const ours: Readonly<Record<string, readonly Otherwise[]>> = Object.fromEntries(
  [...new Set(all.flatMap((part) => Object.keys(part)))].map((name) => [name, all.flatMap((part) => part[name] ?? [])]),
);
