/** In the order in which they are measured and printed. */
import type { Comparison } from "../comparison.ts";
import {
  postgresAsync,
  postgresChain,
  postgresLoop,
  sqliteAsync,
  sqliteChain,
  sqliteFull,
  sqliteLoop,
  sqliteNormal,
} from "./durable.ts";
import { chain, fanOut, loop } from "./in-memory.ts";
import { resumeChain, resumeLoop } from "./resume.ts";
import { waiting } from "./waiting.ts";
import { threadBytes, threadTime } from "./thread.ts";

export const comparisons: readonly Comparison[] = [
  chain,
  loop,
  fanOut,
  sqliteChain,
  sqliteLoop,
  sqliteNormal,
  sqliteFull,
  sqliteAsync,
  postgresChain,
  postgresLoop,
  postgresAsync,
  threadBytes,
  threadTime,
  resumeChain,
  resumeLoop,
  waiting,
];
