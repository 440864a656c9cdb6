import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { definitions } from "../../../../conformance/langgraph/definitions/index.ts";
import { deliberate } from "../../../../conformance/langgraph/deliberate.ts";
import type { Definition } from "../../../../conformance/langgraph/format/definition.ts";
import type { CallRecord, Vector } from "../../../../conformance/langgraph/format/vector.ts";
import { memory } from "../../src/index.ts";
import { play, type Called, type Played } from "./conformance/play.ts";

const folder = join(import.meta.dirname, "../../../../conformance/langgraph");

function read(path: string): unknown {
  return JSON.parse(readFileSync(join(folder, path), "utf8"));
}

/** Of a vector, what is compared. Messages of engines' own errors are each engine's own. */
function comparable({ calls, history, entered }: Vector): Played {
  return { calls: calls.map(called), history, entered };
}

function called({ steps: _steps, together, error, ...call }: CallRecord): Called {
  return {
    ...call,
    ...(error !== undefined && { error: error.kind === "Other" ? { kind: "Other", message: "" } : error }),
    ...(together !== undefined && { together: together.map(called) }),
  };
}

/** What is told of an error that is the engine's own, for people, stays out of the comparison with another engine. */
function withoutCodes(played: Played): Played {
  const codeless = ({ error, together, ...call }: Called): Called => ({
    ...call,
    ...(error !== undefined && { error: error.kind === "Other" ? { ...error, message: "" } : error }),
    ...(together !== undefined && { together: together.map(codeless) }),
  });
  return { ...played, calls: played.calls.map(codeless) };
}

let checkpoints = 0;

function vectorOf({ name }: Definition): Played {
  return comparable(read(`vectors/${name}.json`) as Vector);
}

/** Threads cannot be deleted yet. */
const notYet = ["delete_and_run"];

describe("S01", () => {
  test.each(definitions.filter(({ name }) => !Object.hasOwn(deliberate, name) && !notYet.includes(name)))(
    "$name",
    async (definition) => {
      const expected = vectorOf(definition);
      expect(withoutCodes(await play(definition, memory()))).toEqual(expected);
      checkpoints += Object.values(expected.history).flat().length;
    },
  );

  test.each(definitions.filter(({ name }) => Object.hasOwn(deliberate, name)))(
    "$name, where it does otherwise",
    async (definition) => {
      const played = await play(definition, memory());
      expect(played).toEqual(read(`ours/${definition.name}.json`));
      expect(withoutCodes(played)).not.toEqual(vectorOf(definition));
    },
  );

  afterAll(() => {
    console.log(`${checkpoints} checkpoints compared with LangGraph.js`);
  });
});
