import type { Generating, NodeEvent, Observer } from "../../ports/observer.ts";
import type { Follower } from "../../runtime/observe.ts";
import type { RunState } from "../../state/run-state.ts";
import type { StreamEvent, StreamMode, Task } from "./events.ts";
import type { Had } from "./event-reader.ts";
import { OutputParts } from "./output-parts.ts";

type Told<K extends keyof Observer | "recorded"> = Parameters<NonNullable<Follower[K]>>[0];

interface PlaceOf<M> {
  readonly seq: number;
  readonly part: number;
  readonly mode: M;
  readonly node: string;
  readonly path: string;
}

function placeOf<M extends StreamMode>({ seq, node, path }: NodeEvent, mode: M): PlaceOf<M> {
  return { seq, part: 0, mode, node, path };
}

/** From what a run tells its observers to the events of a reader's modes. */
export class RunEvents implements Follower {
  readonly #modes: ReadonlySet<StreamMode>;
  readonly #push: (event: StreamEvent) => boolean;
  /** Ephemeral generators and tasks, by path, whose items and events this reader was told of from the first on. */
  readonly #whole: Map<string, Generating> = new Map();
  readonly #parts: OutputParts | null;
  readonly #values: Record<string, unknown> = {};
  readonly #onDurable: () => void;

  constructor(
    run: RunState,
    modes: ReadonlySet<StreamMode>,
    push: (event: StreamEvent) => boolean,
    onDurable: () => void = () => undefined,
  ) {
    this.#modes = modes;
    this.#push = push;
    this.#onDurable = onDurable;
    this.#parts = modes.has("values") || modes.has("output") ? new OutputParts(run) : null;
  }

  #task(event: NodeEvent, task: Task): void {
    if (!this.#modes.has("tasks") || event.kind !== "op") return;
    this.#tell(event, { ...placeOf(event, "tasks"), ...task });
  }

  /** What is not recorded is told to who can make a whole of it; one that there is no room for makes all of it void. */
  #tell({ ephemeral, seq }: NodeEvent, event: StreamEvent): void {
    if (ephemeral === undefined) this.#push(event);
    else if (
      this.#whole.has(ephemeral.path) &&
      !this.#push({ ...event, durable: false, of: ephemeral.path } as StreamEvent)
    ) {
      this.#whole.delete(ephemeral.path);
      const isTask = event.mode === "custom" && event.path === ephemeral.path;
      if (isTask) this.#resetEvents({ ...ephemeral, seq }, { durable: false });
      else this.#tellReset({ ...ephemeral, seq, attempt: 0 }, { durable: false });
    }
  }

  reset(event: Told<"reset">): void {
    this.#whole.delete(event.path);
    if (event.events === true) this.#resetEvents(event, {});
    else this.#tellReset(event, {});
  }

  #resetEvents(
    { seq, node, path }: Generating & { readonly seq: number },
    durable: { readonly durable?: false },
  ): void {
    if (!this.#modes.has("custom")) return;
    this.#push({ seq, part: 0, node, path, reset: true, ...durable, mode: "custom", value: undefined });
  }

  #tellReset(
    { seq, node, path, attempt }: Pick<Told<"reset">, "seq" | "node" | "path" | "attempt">,
    durable: { readonly durable?: false },
  ): void {
    const place = { seq, part: 0, node, path, reset: true, ...durable } as const;
    if (this.#modes.has("tasks")) this.#push({ ...place, mode: "tasks", task: "reset", attempt });
    if (this.#modes.has("updates")) this.#push({ ...place, mode: "updates", value: undefined });
    if (this.#modes.has("custom")) this.#push({ ...place, mode: "custom", value: undefined });
  }

  attemptStarted(event: Told<"attemptStarted">): void {
    this.#task(event, { task: "started", attempt: event.attempt });
  }

  yielded(event: Told<"yielded">): void {
    const { attempt, index, value, ephemeral } = event;
    if (ephemeral?.path === event.path && index === 0) this.#whole.set(event.path, ephemeral);
    this.#task(event, { task: "yielded", attempt, index, value });
  }

  /** The last one is told by `failed`. */
  attemptFailed(event: Told<"attemptFailed">): void {
    const { attempt, code, type, message, retryAt } = event;
    if (retryAt === null) return;
    this.#task(event, { task: "failed", attempt, retrying: true, retryAt, code, type, message });
  }

  failed(event: Told<"failed">): void {
    const { code, type, message, attempts } = event.error;
    this.#task(event, { task: "failed", attempt: attempts, retrying: false, retryAt: null, code, type, message });
  }

  finished(event: Told<"finished">): void {
    const { value } = event;
    this.#whole.delete(event.path);
    if (event.kind !== "input" && this.#modes.has("updates"))
      this.#tell(event, { ...placeOf(event, "updates"), value });
    const { attempts: attempt, cached } = event;
    this.#task(event, { task: "finished", attempt, ...(cached === true && { cached }) });
  }

  settled(event: Told<"settled">): void {
    const { as, because = "", at = "" } = event;
    this.#task(event, as === "skipped" ? { task: as, because, at } : { task: as });
  }

  emitted(event: Told<"emitted">): void {
    if (!this.#modes.has("custom")) return;
    const { ephemeral, path, index, name, value } = event;
    if (ephemeral?.path === path && index === 0) this.#whole.set(path, ephemeral);
    const told = { ...(name !== undefined && { name }), ...(index !== undefined && { index }), value };
    this.#tell(event, { ...placeOf(event, "custom"), ...told });
  }

  /** Who was told all of it as it came has had these events, which have places now; the others are told them. */
  recorded(event: Told<"recorded">): void {
    if (!this.#modes.has("custom")) return;
    const { told, path } = event;
    const place = placeOf(event, "custom");
    if (!this.#whole.has(path))
      for (const [index, one] of told.entries()) this.#tell(event, { ...place, index, ...one });
    // One that has no room for it reads on from the journal, which has them all.
    else if (!this.#push({ ...place, value: undefined, had: told.length } as Had))
      this.#resetEvents(event, { durable: false });
  }

  asked({ seq, node, path, id, payload }: Told<"asked">): void {
    if (!this.#modes.has("interrupts")) return;
    this.#push({ seq, part: 0, mode: "interrupts", node, path, id, interrupt: "asked", payload });
  }

  answered({ seq, node, path, id, as, value }: Told<"answered">): void {
    if (!this.#modes.has("interrupts")) return;
    const answer = as === "withdrawn" ? { interrupt: as } : { interrupt: as, answer: value };
    this.#push({ seq, part: 0, mode: "interrupts", node, path, id, ...answer });
  }

  stepped(seq: number): void {
    if (this.#parts === null) return;
    for (const { key, value } of this.#parts.take()) this.#part(seq, key, value);
  }

  #part(seq: number, key: string | undefined, value: unknown): void {
    if (this.#modes.has("output"))
      this.#push({ seq, part: 0, mode: "output", ...(key !== undefined && { key }), value });
    if (key !== undefined) Object.defineProperty(this.#values, key, { value, enumerable: true, configurable: true });
    if (!this.#modes.has("values")) return;
    this.#push({ seq, part: 0, mode: "values", values: key === undefined ? (value as object) : { ...this.#values } });
  }

  durable(): void {
    this.#onDurable();
  }

  /** What is there already was told by somebody else. */
  pass(): void {
    for (const { key, value } of this.#parts?.take() ?? [])
      if (key !== undefined) Object.defineProperty(this.#values, key, { value, enumerable: true, configurable: true });
  }
}
