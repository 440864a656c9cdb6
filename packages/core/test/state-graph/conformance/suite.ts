/** Definitions played on a backend and compared with what LangGraph.js did. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { definitions } from "../../../../../conformance/langgraph/definitions/index.ts";
import type { Definition } from "../../../../../conformance/langgraph/format/definition.ts";
import type { CallRecord, Vector } from "../../../../../conformance/langgraph/format/vector.ts";
import { expectedOf } from "../../../../../conformance/langgraph/interpreter/otherwise.ts";
import type { Backend } from "../../../src/index.ts";
import { play, type Called, type Played } from "./play.ts";

const vectors = join(import.meta.dirname, "../../../../../conformance/langgraph/vectors");

/** What LangGraph.js did, but for what is otherwise here on purpose; without the streamed supersteps. */
function expected({ name, ours }: Definition): Played {
  const vector = JSON.parse(readFileSync(join(vectors, `${name}.json`), "utf8")) as Vector;
  const { calls, history, entered } = expectedOf(vector, ours);
  return { calls: calls.map(called), history, entered };
}

function called({ steps: _steps, together, ...call }: CallRecord): Called {
  return { ...call, ...(together !== undefined && { together: together.map(called) }) };
}

/** Threads cannot be deleted yet. */
const notYet = ["delete_and_run"];

/** `place`: a store of its own per definition. */
export function conformanceTests(title: string, place: (definition: Definition) => Backend): void {
  let checkpoints = 0;
  describe(title, () => {
    test.each(definitions.filter(({ name }) => !notYet.includes(name)))("$name", async (definition) => {
      const vector = expected(definition);
      expect(await play(definition, place(definition))).toEqual(vector);
      checkpoints += Object.values(vector.history).flat().length;
    });

    afterAll(() => {
      console.log(`${checkpoints} checkpoints compared with LangGraph.js`);
    });
  });
}
