/** The script of a definition, call by call, on LangGraph.js. */
import { Command } from "@langchain/langgraph";
import type { Call, Operation } from "../format/definition.ts";
import type { Json } from "../format/json.ts";
import type { CallRecord, ErrorRecord, HeadRecord, StepRecord } from "../format/vector.ts";
import { canonical } from "../interpreter/canonical.ts";
import { BodyError } from "./body.ts";
import { headOf } from "./checkpoints.ts";
import type { Compiled } from "./graph.ts";
import { messageOf } from "./messages.ts";
import type { Recording } from "./recording.ts";
import { Steps, type Chunk } from "./steps.ts";

/** What one call came to, before the thread is read. */
interface Driven {
  readonly steps: readonly StepRecord[];
  readonly error?: ErrorRecord;
}

export class Thread {
  private readonly graph: Compiled;
  private readonly recording: Recording;
  readonly name: string;

  constructor(graph: Compiled, recording: Recording, name: string) {
    this.graph = graph;
    this.recording = recording;
    this.name = name;
  }

  get order(): readonly string[] {
    return this.recording.saver.order.get(this.name) ?? [];
  }

  async call(call: Call): Promise<CallRecord> {
    const before = new Map(this.recording.entered);
    const driven =
      "together" in call ? await Promise.all(call.together.map((one) => this.drive(one))) : [await this.drive(call)];
    await Promise.all(this.recording.running);
    const read = await this.read();
    const entered = new Map(
      [...this.recording.entered].map(([path, n]) => [path, n - (before.get(path) ?? 0)] as const),
    );
    const records = driven
      .map((one) => complete(one, read.head))
      .map((one): CallRecord => ({ outcome: outcomeOf(one, read.head), ...one }));
    return {
      ...("together" in call
        ? { outcome: outcomeOf({ steps: [] }, read.head), steps: [], together: records }
        : records[0]!),
      entered: inOrder(new Map([...entered].filter(([, n]) => n > 0))),
      ...read,
    };
  }

  private async read(): Promise<{ head?: HeadRecord; unreadable?: ErrorRecord }> {
    try {
      const snapshot = await this.graph.getState({ configurable: { thread_id: this.name } });
      return snapshot.config?.configurable?.["checkpoint_id"] === undefined
        ? {}
        : { head: headOf(snapshot, this.order) };
    } catch (error) {
      return { unreadable: errorRecord(error) };
    }
  }

  private async drive(operation: Operation): Promise<Driven> {
    const steps = new Steps(this.recording, new Set(this.recording.saver.known));
    try {
      if ("delete" in operation) await this.recording.saver.deleteThread(this.name);
      else if ("update" in operation)
        await this.graph.updateState(this.config(operation.at), operation.update, operation.asNode);
      else await this.stream(operation, steps);
      return { steps: steps.records() };
    } catch (error) {
      return { error: errorRecord(error), steps: steps.records() };
    }
  }

  private async stream(operation: Operation, steps: Steps): Promise<void> {
    const { at, limit, concurrency } = operation as { at?: number; limit?: number; concurrency?: number };
    const config = {
      ...this.config(at),
      ...(limit !== undefined && { recursionLimit: limit }),
      ...(concurrency !== undefined && { maxConcurrency: concurrency }),
      streamMode: ["values", "updates", "tasks", "checkpoints", "custom"],
      subgraphs: true,
    };
    const stream = await this.graph.stream((await this.input(operation)) as never, config as never);
    for await (const chunk of stream as AsyncIterable<unknown>) steps.take(chunk as Chunk);
  }

  private async input(operation: Operation): Promise<unknown> {
    if ("run" in operation) return operation.run;
    if ("answers" in operation) {
      const ids = await Promise.all(operation.answers.map(({ to }) => this.asked(to)));
      return new Command({ resume: Object.fromEntries(operation.answers.map(({ answer }, at) => [ids[at]!, answer])) });
    }
    if (!("answer" in operation)) return null;
    if (operation.to === undefined) return new Command({ resume: operation.answer });
    return new Command({ resume: { [await this.asked(operation.to)]: operation.answer } });
  }

  /** The id of the open question with that payload. */
  private async asked(payload: Json): Promise<string> {
    const { tasks } = await this.graph.getState({ configurable: { thread_id: this.name } });
    const found = tasks
      .flatMap(({ interrupts }) => interrupts)
      .find(({ value }) => canonical(value as Json) === canonical(payload));
    if (found?.id === undefined) throw new Error(`nothing asks ${JSON.stringify(payload)} on ${this.name}`);
    return found.id;
  }

  private config(at: number | undefined): { configurable: Record<string, string> } {
    const id = at === undefined ? undefined : this.order[at];
    return { configurable: { thread_id: this.name, ...(id !== undefined && { checkpoint_id: id }) } };
  }
}

/** At its limit LangGraph.js saves the checkpoint of the last superstep without streaming it. */
function complete({ steps, ...driven }: Driven, head: HeadRecord | undefined): Driven {
  const last = steps.at(-1);
  if (last === undefined || last.values !== undefined || last.step !== head?.step) return { ...driven, steps };
  const { step, tasks, events } = last;
  return { ...driven, steps: [...steps.slice(0, -1), { step, tasks, values: head.values, next: head.next, events }] };
}

function outcomeOf({ error, steps }: Driven, head: HeadRecord | undefined): CallRecord["outcome"] {
  if (error !== undefined) return steps.length === 0 ? "refused" : "failed";
  if (head?.waiting === true) return "waiting";
  return (head?.next.length ?? 0) > 0 ? "paused" : "finished";
}

function errorRecord(error: unknown): ErrorRecord {
  const { name, lc_error_code: code } = error as { readonly name?: string; readonly lc_error_code?: string };
  if (error instanceof BodyError) return { kind: "NodeFailed", message: messageOf(error) };
  if (code === "GRAPH_RECURSION_LIMIT") return { kind: "StepLimit" };
  if (code === "INVALID_CONCURRENT_GRAPH_UPDATE") return { kind: "WriteConflict" };
  return { kind: "Other", message: `${name}: ${messageOf(error)}` };
}

export function inOrder(counts: ReadonlyMap<string, number>): Readonly<Record<string, number>> {
  return Object.fromEntries([...counts].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
