import type { Graph, Observer } from "@millrace/core";
import { slowNodes } from "../graphs/graph-shape.ts";
import { ProgressModel } from "./model.ts";
import { startProgress } from "./start.ts";

/** Progress of one run on stderr, as `millrace run` shows it. */
export interface Progress {
  /** For `openEngine({ observer })`. */
  readonly observer: Observer;
  /** The run has an id. */
  begun(runId: string): void;
  /** What the run is doing, when that is more than running: `draining`. */
  doing(text: string): void;
  /** The last frame, with what the run came to, stays; the terminal is given back. Safe to call twice. */
  stop(status: string): void;
}

/**
 * The bars of `millrace run` for programs of your own: redrawn in place on a terminal, a line every few seconds
 * elsewhere, always on stderr. Call it before the engine is opened, and `stop` when the run ended.
 */
export function showProgress(graph: Pick<Graph<never, unknown>, "name" | "plan">): Progress {
  const model = new ProgressModel(() => performance.now(), graph.name, slowNodes(graph));
  const view = startProgress(model, process, false);
  return {
    observer: model.observer,
    begun: (runId) => view.begun(runId, graph.name),
    doing: (text) => view.phase({ text, tone: "warn" }),
    stop: (status) => view.stop({ text: status, tone: status === "completed" ? "good" : "warn" }),
  };
}
