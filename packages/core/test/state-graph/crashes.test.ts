import { expect, test } from "vitest";
import { definitions } from "../../../../conformance/langgraph/definitions/index.ts";
import type { Action, Definition, GraphDefinition } from "../../../../conformance/langgraph/format/definition.ts";
import type { Patch } from "../../../../conformance/langgraph/format/json.ts";
import { sorted } from "../../../../conformance/langgraph/interpreter/canonical.ts";
import { openEngine, type RunResult } from "../../src/index.ts";
import { crashedBehind } from "../acceptance/support/journal.ts";
import { crashEverywhere, type Crash } from "../acceptance/support/engines.ts";
import { graphOf, type Entered } from "./conformance/build.ts";

/** Whether a body fails by how often it was entered in this process, which a crash makes begin anew. */
function failsByEntry({ nodes }: GraphDefinition): boolean {
  return Object.values(nodes).some((node) => ("do" in node ? throws(node.do) : failsByEntry(node.subgraph)));
}

function throws(actions: readonly Action[]): boolean {
  return actions.some(
    (action) => "throw" in action || ("if" in action && throws([...action.do, ...(action.else ?? [])])),
  );
}

/** The first turn of a definition. */
function inputOf({ script }: Definition): Patch | undefined {
  const [first] = script;
  return first !== undefined && "run" in first && first.limit === undefined ? first.run : undefined;
}

function outcomeOf(result: RunResult<unknown>): unknown {
  if (result.status === "completed") return { output: result.output };
  if (result.status === "interrupted") return { asked: sorted(result.interrupts.map(({ payload }) => payload)) };
  return { status: result.status, errors: result.errors.map(({ code }) => code) };
}

/** Bodies that had come to an end by the crash. */
async function endedBefore({ recording, cut }: Crash): Promise<number> {
  const engine = await openEngine({ backend: await crashedBehind(recording, cut), recover: false });
  const [row] = await engine.list();
  const info = await engine.get(row!.id);
  await engine.close();
  const ended = [...Object.entries(info?.finished ?? {}), ...Object.entries(info?.failed ?? {})];
  const bodies = ended.filter(([node]) => node.endsWith("/body"));
  return bodies.reduce((all, [, count]) => all + count, 0);
}

const crashed = definitions.filter(
  (definition) => inputOf(definition) !== undefined && !failsByEntry(definition.graph),
);

test.each(crashed)("S05 $name, after a crash behind every record", async (definition) => {
  const entered: Entered = {};
  const graph = graphOf(definition.name, definition.graph, entered);
  const crashes: { readonly crash: Crash; readonly entered: number }[] = [];
  const total = (): number => Object.values(entered).reduce((all, count) => all + count, 0);
  let before = 0;
  const { result } = await crashEverywhere(graph, inputOf(definition)!, (crash, undisturbed) => {
    expect([crash.cut, outcomeOf(crash.result)]).toEqual([crash.cut, outcomeOf(undisturbed.result)]);
    if (crashes.length === 0) before = total();
    crashes.push({ crash, entered: total() });
  });
  // `before` counts the undisturbed run and the first one after a crash, which ran everything again.
  const undisturbed = before / 2;
  for (const [at, { crash, entered: soFar }] of crashes.entries()) {
    const again = soFar - (at === 0 ? undisturbed : crashes[at - 1]!.entered);
    expect([crash.cut, again + (await endedBefore(crash))]).toEqual([crash.cut, undisturbed]);
  }
  expect(result.status).not.toBe("cancelled");
});
