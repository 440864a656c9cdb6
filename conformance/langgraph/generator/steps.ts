/** From the stream of LangGraph.js to supersteps: everything between two checkpoints of one namespace is one. */
import type { Json, Patch } from "../format/json.ts";
import { isRecord } from "../format/json.ts";
import type { EventRecord, StepRecord, TaskRecord, Writes } from "../format/vector.ts";
import { sorted } from "../interpreter/canonical.ts";
import { mapRecord } from "../interpreter/expression.ts";
import { messageOf } from "./messages.ts";
import type { Recording } from "./recording.ts";

export type Chunk = readonly [namespace: readonly string[], mode: string, chunk: unknown];

interface Ended {
  readonly result: Readonly<Record<string, Json>>;
  readonly interrupts: readonly { readonly value: Json }[];
  readonly error: unknown;
}

interface Task {
  readonly id: string;
  readonly name: string;
  /** The state of its own that it was sent. */
  sent?: Json;
  end?: Ended;
}

type TaskChunk = Pick<Task, "id" | "name"> & (Ended | { readonly input: Json; readonly triggers: readonly string[] });

interface Checkpoint {
  readonly config: { readonly configurable: { readonly checkpoint_id: string } };
  readonly metadata: { readonly step: number };
  readonly values: Patch;
  readonly next: readonly string[];
}

/** Supersteps of one call in one namespace. */
export class Steps {
  private readonly done: StepRecord[] = [];
  private readonly inner = new Map<string, Steps>();
  private readonly recording: Recording;
  private readonly before: ReadonlySet<string>;
  private tasks = new Map<string, Task>();
  private events: EventRecord[] = [];
  private recorded = new Set<string>();
  private step = -2;

  /** `before`: checkpoints that were there before the call. They are streamed again. */
  constructor(recording: Recording, before: ReadonlySet<string>) {
    this.recording = recording;
    this.before = before;
  }

  take([namespace, mode, chunk]: Chunk): void {
    const [first, ...rest] = namespace;
    if (first === undefined) return this.takeOwn(mode, chunk);
    if (!this.inner.has(first)) this.inner.set(first, new Steps(this.recording, this.before));
    this.inner.get(first)!.take([rest, mode, chunk]);
  }

  records(): readonly StepRecord[] {
    const open = this.tasks.size > 0;
    return open ? [...this.done, { ...this.record({}), step: this.step + 1 }] : this.done;
  }

  private takeOwn(mode: string, chunk: unknown): void {
    if (mode === "checkpoints") this.takeCheckpoint(chunk as Checkpoint);
    if (mode === "tasks") this.takeTask(chunk as TaskChunk);
    if (mode === "custom") this.events.push({ type: "custom", data: chunk as Json });
    if (mode === "values" && !Object.hasOwn(chunk as object, "__interrupt__"))
      this.events.push({ type: "values", values: chunk as Patch });
    if (mode === "updates") this.takeUpdates(chunk as Readonly<Record<string, Json>>);
  }

  private takeCheckpoint({ config, metadata, values, next }: Checkpoint): void {
    this.step = metadata.step;
    if (!this.before.has(config.configurable.checkpoint_id))
      this.done.push(this.record({ values, next: sorted(next) }));
    this.tasks = new Map();
    this.events = [];
    this.recorded = new Set();
  }

  private takeTask(chunk: TaskChunk): void {
    const { id, name } = chunk;
    const task = this.tasks.get(id) ?? { id, name };
    this.tasks.set(id, task);
    if ("input" in chunk) {
      if (chunk.triggers.includes("__pregel_push")) task.sent = chunk.input;
      this.events.push({ type: "started", node: name });
      return;
    }
    task.end = chunk;
    if (this.endOf(task) === "finished") this.events.push({ type: "finished", node: name });
  }

  private takeUpdates({
    __interrupt__: asked,
    __metadata__: metadata,
    ...nodes
  }: Readonly<Record<string, Json>>): void {
    for (const { value } of (asked ?? []) as unknown as readonly { readonly value: Json }[])
      this.events.push({ type: "interrupted", payload: value });
    const cached = isRecord(metadata) && metadata["cached"] === true;
    for (const [node, updates] of Object.entries(nodes)) {
      if (cached) this.recorded.add(node);
      this.events.push({ type: cached ? "recorded" : "updates", node, wrote: joined(updates) });
    }
  }

  private record(after: Pick<StepRecord, "values" | "next">): StepRecord {
    const tasks = [...this.tasks.values()].map((task) => this.taskRecord(task));
    const again = tasks.filter(({ ended }) => ended === "recorded").map(({ node }) => node);
    // LangGraph.js says that recorded tasks start, though their bodies are not entered.
    const events = this.events.filter((event) => {
      if (event.type !== "started" || !again.includes(event.node)) return true;
      again.splice(again.indexOf(event.node), 1);
      return false;
    });
    return { step: this.step, tasks: sorted(tasks), ...after, events: sorted(events) };
  }

  private taskRecord(task: Task): TaskRecord {
    const { id, name, sent } = task;
    const asked = task.end?.interrupts.map(({ value }) => value) ?? [];
    const ended = this.endOf(task);
    const inner = this.inner.get(`${name}:${id}`)?.records();
    return {
      node: name,
      ended,
      ...(sent !== undefined && { sent }),
      wrote: this.writesOf(task, ended),
      ...(ended === "asked" && { asked }),
      ...(ended === "failed" && { error: this.errorOf(task)! }),
      ...(inner !== undefined && { inner }),
    };
  }

  private endOf(task: Task): TaskRecord["ended"] {
    if (task.end !== undefined && task.end.interrupts.length > 0) return "asked";
    if (this.errorOf(task) !== undefined) return "failed";
    if (this.recorded.has(task.name) && task.end === undefined) return "recorded";
    const saved = this.recording.saver.taskWrites.get(task.id) ?? [];
    return task.end !== undefined || saved.some(([channel]) => channel !== "__error__") ? "finished" : "abandoned";
  }

  private errorOf({ id, end }: Task): string | undefined {
    const thrown = this.recording.thrown.get(id);
    if (thrown !== undefined) return thrown;
    return end?.error === undefined || end.error === null ? undefined : messageOf(end.error);
  }

  /** A write conflict ends the stream before all tasks of the superstep were told to have finished. */
  private writesOf({ id, end }: Task, ended: TaskRecord["ended"]): Writes {
    if (ended !== "finished" && ended !== "recorded") return {};
    return end === undefined ? fieldsOf(this.recording.saver.taskWrites.get(id) ?? []) : listed(end.result);
  }
}

/** Several updates of one field come as `{ $writes: [...] }`. */
export function listed(result: Readonly<Record<string, Json>>): Writes {
  return mapRecord(result, (value) => (isRecord(value) && "$writes" in value ? (value["$writes"] as Json[]) : [value]));
}

function joined(updates: Json): Writes {
  const list = (Array.isArray(updates) ? updates : [updates ?? {}]) as readonly Patch[];
  return fieldsOf(list.flatMap((patch) => Object.entries(patch)));
}

/** Channels that are no fields have names with colons or underscores around them. */
export function fieldsOf(writes: readonly (readonly [string, Json])[]): Writes {
  const fields: Record<string, Json[]> = {};
  for (const [field, value] of writes) if (!/^__|:/.test(field)) (fields[field] ??= []).push(value);
  return fields;
}
