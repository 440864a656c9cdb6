/** Definitions played on a backend and compared with what LangGraph.js did. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { definitions } from "../../../../../conformance/langgraph/definitions/index.ts";
import type { Call, Definition } from "../../../../../conformance/langgraph/format/definition.ts";
import type { CallRecord, Vector } from "../../../../../conformance/langgraph/format/vector.ts";
import { expectedOf } from "../../../../../conformance/langgraph/interpreter/otherwise.ts";
import type { Backend } from "../../../src/index.ts";
import { streamIn } from "./events.ts";
import { play, type Called, type Played } from "./play.ts";

const vectors = join(import.meta.dirname, "../../../../../conformance/langgraph/vectors");

/** What LangGraph.js did, but for what is otherwise here on purpose. */
function expected({ name, ours, script }: Definition): Played {
  const vector = JSON.parse(readFileSync(join(vectors, `${name}.json`), "utf8")) as Vector;
  const { calls, history, entered } = expectedOf(vector, ours);
  return { calls: calls.map((call, at) => called(call, script[at])), history, entered };
}

function called({ steps, together, ...call }: CallRecord, made?: Call): Called {
  const isStreamed =
    made !== undefined && !("update" in made || "together" in made || "delete" in made) && call.outcome !== "refused";
  return {
    ...call,
    ...(isStreamed && { streamed: streamIn({ ...call, steps }) }),
    ...(together !== undefined && { together: together.map((one) => called(one)) }),
  };
}

/** Of every kind one that a backend may have a part in, and whose outcome does not depend on who is first. */
export const ofEveryKind: readonly string[] = [
  "fan_out",
  "diamond_join",
  "cycle_limit_default",
  "send_each",
  "goto_several",
  "interrupt_and_answer",
  "interrupt_beside_sibling",
  "ask_twice",
  "ask_three_in_reverse",
  "break_and_update",
  "fail_then_proceed",
  "fail_one_of_three_sent",
  "update_as_node",
  "update_without_node",
  "fork_two_from_one",
  "fork_then_turn",
  "sub_shared_asks",
  "sub_fails_then_proceeds",
  "join_filled_by_two_turns",
  "delete_and_run",
];

/** `place`: a store of its own per definition. `only`: names; default all. */
export function conformanceTests(
  title: string,
  place: (definition: Definition) => Backend,
  only?: readonly string[],
): void {
  let checkpoints = 0;
  const played = definitions.filter(({ name }) => only?.includes(name) ?? true);
  describe.each([title])("%s", () => {
    test("plays what it names", () => {
      expect(played.length).toBe(only?.length ?? definitions.length);
    });

    test.each(played)("S01 S10 $name", async (definition) => {
      const vector = expected(definition);
      expect(await play(definition, place(definition))).toEqual(vector);
      checkpoints += Object.values(vector.history).flat().length;
    });

    afterAll(() => {
      console.log(`${checkpoints} checkpoints compared with LangGraph.js`);
    });
  });
}
