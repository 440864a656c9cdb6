/** From the stream of LangGraph.js to supersteps: everything between two checkpoints of one namespace is one. */
import type { Json, Patch } from "../format/json.ts";
import { isRecord } from "../format/json.ts";
import type { EventRecord, StepRecord, TaskRecord, Writes } from "../format/vector.ts";
import { sorted } from "../interpreter/canonical.ts";
import { mapRecord } from "../interpreter/expression.ts";
import type { Recording } from "./recording.ts";

export type Chunk = readonly [namespace: readonly string[], mode: string, chunk: unknown];

interface Started {
  readonly id: string;
  readonly name: string;
  end?: { readonly result: Readonly<Record<string, Json>>; readonly interrupts: readonly { readonly value: Json }[] };
}

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
  private tasks = new Map<string, Started>();
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
    if (mode === "tasks") this.takeTask(chunk as Started & Started["end"] & { readonly input?: unknown });
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

  private takeTask(chunk: Started & Started["end"] & { readonly input?: unknown }): void {
    const task = this.tasks.get(chunk.id) ?? { id: chunk.id, name: chunk.name };
    this.tasks.set(chunk.id, task);
    if ("input" in chunk) this.events.push({ type: "started", node: chunk.name });
    else {
      task.end = { result: chunk.result, interrupts: chunk.interrupts };
      if (chunk.interrupts.length === 0 && !this.recording.thrown.has(chunk.id))
        this.events.push({ type: "finished", node: chunk.name });
    }
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

  private taskRecord({ id, name, end }: Started): TaskRecord {
    const sent = this.recording.sent.get(id);
    const inner = this.inner.get(`${name}:${id}`)?.records();
    const outcome = this.outcomeOf({ id, name, ...(end && { end }) });
    return { node: name, ...(sent !== undefined && { sent }), ...outcome, ...(inner !== undefined && { inner }) };
  }

  private outcomeOf({ id, name, end }: Started): Pick<TaskRecord, "ended" | "wrote" | "asked" | "error"> {
    const asked = end?.interrupts.map(({ value }) => value) ?? [];
    if (asked.length > 0) return { ended: "asked", wrote: {}, asked };
    const error = this.recording.thrown.get(id);
    if (error !== undefined) return { ended: "failed", wrote: {}, error };
    if (end !== undefined) return { ended: "finished", wrote: listed(end.result) };
    if (!this.recorded.has(name)) return { ended: "abandoned", wrote: {} };
    return { ended: "recorded", wrote: fieldsOf(this.recording.saver.taskWrites.get(id) ?? []) };
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
