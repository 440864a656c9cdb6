import type { Definition } from "../format/definition.ts";
import { ours } from "../ours/index.ts";
import { breakpoints } from "./breakpoints.ts";
import { edges } from "./edges.ts";
import { failures } from "./failures.ts";
import { gotos } from "./gotos.ts";
import { joins } from "./joins.ts";
import { parallelQuestions } from "./parallel-questions.ts";
import { questions } from "./questions.ts";
import { routes } from "./routes.ts";
import { sends } from "./sends.ts";
import { subgraphs } from "./subgraphs.ts";
import { threads } from "./threads.ts";
import { waitingSubgraphs } from "./waiting-subgraphs.ts";

const all: readonly Definition[] = [
  ...edges,
  ...joins,
  ...routes,
  ...gotos,
  ...sends,
  ...questions,
  ...parallelQuestions,
  ...breakpoints,
  ...failures,
  ...threads,
  ...subgraphs,
  ...waitingSubgraphs,
];

/** All of them; each has a vector of its name. */
export const definitions: readonly Definition[] = all.map((definition) => {
  const otherwise = ours[definition.name];
  return otherwise === undefined ? definition : { ...definition, ours: otherwise };
});
