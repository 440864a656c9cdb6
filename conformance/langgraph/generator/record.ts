import { createRequire } from "node:module";
import type { Definition } from "../format/definition.ts";
import type { CallRecord, CheckpointRecord, Vector } from "../format/vector.ts";
import { hashOf } from "../interpreter/hash.ts";
import { inOrder, Thread } from "./calls.ts";
import { checkpointOf } from "./checkpoints.ts";
import { graphOf, type Compiled } from "./graph.ts";
import { Recording } from "./recording.ts";

const { version } = createRequire(import.meta.url)("@langchain/langgraph/package.json") as { readonly version: string };

/** Runs a definition on LangGraph.js. */
export async function record(definition: Definition): Promise<Vector> {
  const recording = new Recording();
  const graph = graphOf(definition.graph, recording, "", { checkpointer: recording.saver });
  const threads = new Map<string, Thread>();
  const calls: CallRecord[] = [];
  for (const { thread: name = "main", ...call } of definition.script) {
    const thread = threads.get(name) ?? new Thread(graph, recording, name);
    threads.set(name, thread);
    calls.push(await thread.call(call));
  }
  const history: Record<string, readonly CheckpointRecord[]> = {};
  for (const [name, thread] of threads) history[name] = await historyOf(graph, thread);
  return {
    name: definition.name,
    definition: hashOf(definition),
    recordedFrom: `@langchain/langgraph ${version}`,
    calls,
    history,
    entered: inOrder(recording.entered),
  };
}

/** Of a thread that cannot be read as a whole, what can be read one by one. */
async function historyOf(graph: Compiled, { name, order }: Thread): Promise<readonly CheckpointRecord[]> {
  const records: CheckpointRecord[] = [];
  for (const id of order) {
    const snapshot = await graph
      .getState({ configurable: { thread_id: name, checkpoint_id: id } })
      .catch(() => undefined);
    if (snapshot !== undefined) records.push(checkpointOf(snapshot, order));
  }
  return records;
}
