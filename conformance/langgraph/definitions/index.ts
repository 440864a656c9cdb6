import type { Definition } from "../format/definition.ts";
import { edges } from "./edges.ts";
import { questions } from "./questions.ts";
import { routes } from "./routes.ts";

/** All of them; each has a vector of its name. */
export const definitions: readonly Definition[] = [...edges, ...routes, ...questions];
