/**
 * The items of one stream of a run's output, read where the run gathers them for its result: nothing is copied, buffered
 * or held back for a reader.
 *
 * W1  Every item comes once, in yield order, when it and all before it have resolved and are durable.
 * W3  When an ephemeral generator begins again, the items of the attempt before are void: whoever reads them is told, and
 *     gets those of the next one from the first; who did not say how to be told gets an error.
 * W2  Items that were left out (filtered, dropped, swept) are passed over; if one failed, the reading fails after the rest.
 */
import { errorOf } from "../../base/error.ts";
import type { SlotPlan } from "../../model/plan.ts";
import type { Follower } from "../../runtime/observe.ts";
import { omitted, unresolved, type CollectState } from "../../state/collect.ts";
import type { Failure } from "../../state/failure.ts";
import { Fifo } from "../../state/fifo.ts";
import { isBroken, isResolved, Resolution } from "../../state/resolution.ts";
import type { RunState } from "../../state/run-state.ts";
import type { Reset } from "./events.ts";
import type { Polled, Source } from "./iteration.ts";

/** Up to which index items have resolved by which step; `over`: and there are no more. */
interface Mark {
  readonly seq: number;
  readonly ready: number;
  readonly over: boolean;
}

export class ItemsReader implements Source<unknown>, Follower {
  readonly #run: RunState;
  readonly #collector: SlotPlan;
  readonly #durableSeq: () => number;
  readonly #wake: () => void;
  readonly #onClose: () => void;
  #collect: CollectState | undefined;
  /** Called when what was given of the items of an ephemeral generator is void. Null: then the reading fails. */
  readonly #onReset: ((reset: Reset) => void) | null;
  /** W3 */
  #reset: Reset | null = null;
  /** Steps whose records are not durable yet. */
  readonly #marks: Fifo<Mark> = new Fifo();
  #marked: Mark = { seq: 0, ready: 0, over: false };
  #released: Mark = this.#marked;
  #next = 0;
  #settled = false;
  /** Why no more will come, once the run is over. */
  #error: Error | null = null;

  constructor(
    run: RunState,
    collector: SlotPlan,
    durableSeq: () => number,
    wake: () => void,
    onClose: () => void,
    onReset: ((reset: Reset) => void) | null = null,
  ) {
    this.#onReset = onReset;
    this.#run = run;
    this.#collector = collector;
    this.#durableSeq = durableSeq;
    this.#wake = wake;
    this.#onClose = onClose;
    this.stepped(run.seq);
  }

  /** W3 */
  reset({ node, path }: Reset): void {
    const { plan } = this.#run.program;
    const stream = plan.streams[this.#collector.collect?.stream ?? -1];
    if (stream === undefined || plan.slots[stream.source]?.name !== node) return;
    this.#collect = undefined;
    this.#marks.clear();
    this.#marked = { seq: 0, ready: 0, over: false };
    this.#released = this.#marked;
    if (this.#next > 0) this.#reset = { node, path };
    this.#next = 0;
    this.#wake();
  }

  stepped(seq: number): void {
    const ready = this.#resolved();
    const over = isResolved(this.#run.root.states[this.#collector.local] as number);
    if (ready === this.#marked.ready && over === this.#marked.over) return;
    this.#marked = { seq, ready, over };
    this.#marks.push(this.#marked);
    this.durable();
  }

  /** How many items from the first on have resolved. */
  #resolved(): number {
    this.#collect ??= this.#run.gathered?.find(({ slot }) => slot === this.#collector);
    const items = this.#items;
    let { ready } = this.#marked;
    while (ready < items.length && items[ready] !== unresolved) ready++;
    return ready;
  }

  /** As they are gathered; of an ephemeral generator that is through, and ran in another process, what was kept. */
  get #items(): readonly unknown[] {
    const { states, values } = this.#run.root;
    const { local } = this.#collector;
    if (this.#collect !== undefined) return this.#collect.items;
    return states[local] === Resolution.value ? (values[local] as readonly unknown[]) : [];
  }

  durable(): void {
    const durable = this.#settled ? Infinity : this.#durableSeq();
    for (let mark = this.#marks.peek(); mark !== undefined && mark.seq <= durable; mark = this.#marks.peek()) {
      this.#released = mark;
      this.#marks.take();
    }
    this.#wake();
  }

  /** The run ended, was cancelled or drained: what it came to is durable. `error` is what a stream that is open ends with. */
  settle(error: Error): void {
    this.#settled = true;
    this.#error = error;
    this.durable();
  }

  /** The run was lost: what is not durable may never have been. */
  lose(error: Error): void {
    this.#error = error;
    this.#wake();
  }

  poll(): Polled<unknown> {
    this.#tellReset();
    const items = this.#items;
    while (this.#next < this.#released.ready) {
      const item = items[this.#next++];
      if (item !== omitted) return { value: item };
    }
    if (this.#released.over) return this.#end();
    if (this.#error !== null) throw this.#error;
    return "wait";
  }

  #tellReset(): void {
    const reset = this.#reset;
    if (reset === null) return;
    this.#reset = null;
    if (this.#onReset === null) throw errorOf("StreamReset", { node: reset.node, path: reset.path });
    this.#onReset(reset);
  }

  /** W2 */
  #end(): Polled<unknown> {
    const { states, values } = this.#run.root;
    const { local } = this.#collector;
    if (!isBroken(states[local] as number)) return "done";
    const { error } = values[local] as Failure;
    throw errorOf(
      "OpFailed.item",
      { node: error.node, path: error.path, type: error.type, message: error.message },
      error,
    );
  }

  close(): void {
    this.#onClose();
  }
}
