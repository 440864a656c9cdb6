import type { NodeEvent, Observer } from "../../ports/observer.ts";
import type { Follower } from "../../runtime/observe.ts";
import type { RunState } from "../../state/run-state.ts";
import type { StreamEvent, StreamMode, Task } from "./events.ts";
import { OutputParts } from "./output-parts.ts";

type Told<K extends keyof Observer> = Parameters<NonNullable<Observer[K]>>[0];

/** From what a run tells its observers to the events of a reader's modes. */
export class RunEvents implements Follower {
  readonly #modes: ReadonlySet<StreamMode>;
  readonly #push: (event: StreamEvent) => void;
  readonly #parts: OutputParts | null;
  readonly #values: Record<string, unknown> = {};
  readonly #onDurable: () => void;

  constructor(
    run: RunState,
    modes: ReadonlySet<StreamMode>,
    push: (event: StreamEvent) => void,
    onDurable: () => void = () => undefined,
  ) {
    this.#modes = modes;
    this.#push = push;
    this.#onDurable = onDurable;
    this.#parts = modes.has("values") || modes.has("output") ? new OutputParts(run) : null;
  }

  #task(event: NodeEvent, task: Task): void {
    if (!this.#modes.has("tasks") || event.kind !== "op") return;
    const { seq, node, path } = event;
    this.#push({ seq, part: 0, mode: "tasks", node, path, ...task });
  }

  attemptStarted(event: Told<"attemptStarted">): void {
    this.#task(event, { task: "started", attempt: event.attempt });
  }

  yielded(event: Told<"yielded">): void {
    const { attempt, index, value } = event;
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
    const { seq, node, path, value } = event;
    if (event.kind !== "input" && this.#modes.has("updates"))
      this.#push({ seq, part: 0, mode: "updates", node, path, value });
    const { attempts: attempt, cached } = event;
    this.#task(event, { task: "finished", attempt, ...(cached === true && { cached }) });
  }

  settled(event: Told<"settled">): void {
    const { as, because = "", at = "" } = event;
    this.#task(event, as === "skipped" ? { task: as, because, at } : { task: as });
  }

  emitted({ seq, node, path, value }: Told<"emitted">): void {
    if (this.#modes.has("custom")) this.#push({ seq, part: 0, mode: "custom", node, path, value });
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
