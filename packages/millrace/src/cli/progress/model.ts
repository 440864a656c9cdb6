/**
 * What a run has done so far, counted from the Observer port. The model draws nothing and reads no clock but the one
 * it is given; views take a `snapshot` when they want to show something.
 */
import type { NodeEvent, Observer } from "@millrace/core";
import { NodeCount } from "./node-count.ts";
import type { NodeProgress } from "./node-progress.ts";

/** A node of the plan that takes its time: an op call, a question, a sleep. Nodes with the same `per` run once for each item of one stream. */
export interface PlannedNode {
  readonly name: string;
  readonly per?: string | undefined;
}

export interface RunProgress {
  readonly runId: string;
  readonly graph: string;
  readonly elapsedMs: number;
  readonly nodes: readonly NodeProgress[];
  /** A generator is still under way: totals may grow. */
  readonly open: boolean;
}

export class ProgressModel {
  readonly observer: Observer;
  readonly #clock: () => number;
  #startedAt: number;
  readonly #nodes: ReadonlyMap<string, NodeCount>;
  #runId = "";
  #graph: string;
  #version = 0;

  /** Counts the planned nodes, in that order; what happens to others (cells, edges) is nothing to show. */
  constructor(clock: () => number, graph: string, planned: readonly PlannedNode[]) {
    this.#clock = clock;
    this.#startedAt = clock();
    this.#graph = graph;
    this.#nodes = new Map(planned.map(({ name, per }) => [name, new NodeCount(name, per)]));
    this.observer = this.#observe();
  }

  /** Raised by every event; a view that saw this version has nothing new to draw. */
  get version(): number {
    return this.#version;
  }

  snapshot(): RunProgress {
    const now = this.#clock();
    const nodes = this.#shareTotals([...this.#nodes.values()].map((count) => count.progress(now)));
    const open = nodes.some((node) => node.yielded > 0 && node.inFlight + node.retrying > 0);
    return { runId: this.#runId, graph: this.#graph, elapsedMs: now - this.#startedAt, nodes, open };
  }

  #observe(): Observer {
    return {
      runStarted: ({ runId, graph }) => {
        this.#version++;
        this.#startedAt = this.#clock();
        this.#runId = runId;
        this.#graph = graph;
      },
      expected: (event) => this.#count(event)?.expect(),
      attemptStarted: (event) => this.#count(event)?.start(event.path),
      asked: (event) => this.#count(event)?.ask(event.path),
      yielded: (event) => this.#count(event)?.yield(event.replayed),
      attemptFailed: (event) => this.#count(event)?.failAttempt(event.path, event.retryInMs === null),
      finished: (event) => this.#count(event)?.finish(event.path, event.replayed),
      settled: (event) => this.#count(event)?.settle(event.path, event.as === "skipped"),
      runEnded: () => void this.#version++,
    };
  }

  #count(event: NodeEvent): NodeCount | undefined {
    const count = this.#nodes.get(event.node);
    if (count === undefined) return undefined;
    this.#version++;
    if (!event.replayed) count.live(this.#clock());
    return count;
  }

  /** Every item meets every node of its stream: what one of them was told to expect, the others will see too. */
  #shareTotals(list: readonly NodeProgress[]): NodeProgress[] {
    const items = new Map<string, number>();
    const perOf = ({ node }: NodeProgress): string | undefined => this.#nodes.get(node)?.per;
    for (const progress of list) {
      const per = perOf(progress);
      if (per !== undefined) items.set(per, Math.max(items.get(per) ?? 0, progress.total));
    }
    return list.map((progress) => ({ ...progress, total: items.get(perOf(progress) ?? "") ?? progress.total }));
  }
}
