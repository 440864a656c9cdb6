/** What the generator learns besides what LangGraph.js streams: entered bodies, writes and checkpoints. */
import { MemorySaver } from "@langchain/langgraph";
import type { Json } from "../format/json.ts";

type Put = MemorySaver["put"];
type PutWrites = MemorySaver["putWrites"];

/** Numbers checkpoints in the order in which they are saved, and keeps the writes of every task. */
export class RecordingSaver extends MemorySaver {
  /** Ids of all namespaces. */
  readonly known = new Set<string>();
  /** Ids of the outermost graph, by thread. */
  readonly order = new Map<string, string[]>();
  readonly taskWrites = new Map<string, readonly (readonly [string, Json])[]>();

  override async put(...args: Parameters<Put>): ReturnType<Put> {
    const [{ configurable }, { id }] = args;
    this.known.add(id);
    const thread = String(configurable?.["thread_id"]);
    if ((configurable?.["checkpoint_ns"] ?? "") === "") this.order.set(thread, [...(this.order.get(thread) ?? []), id]);
    return await super.put(...args);
  }

  override async putWrites(...args: Parameters<PutWrites>): ReturnType<PutWrites> {
    const [, writes, task] = args;
    this.taskWrites.set(task, writes as unknown as readonly (readonly [string, Json])[]);
    await super.putWrites(...args);
  }

  override async deleteThread(thread: string): Promise<void> {
    this.order.delete(thread);
    await super.deleteThread(thread);
  }
}

export class Recording {
  readonly saver: RecordingSaver = new RecordingSaver();
  /** Bodies by path, over the whole script. */
  readonly entered = new Map<string, number>();
  /** What the last attempt of a task threw, by task id. */
  readonly thrown = new Map<string, string>();
  /** Bodies that have not come to an end, so that a call can be told from what the next one does. */
  readonly running = new Set<Promise<unknown>>();

  enter(path: string): number {
    const entry = (this.entered.get(path) ?? 0) + 1;
    this.entered.set(path, entry);
    return entry;
  }
}
