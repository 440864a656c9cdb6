import type { Tone } from "../format/style.ts";
export interface Phase {
  readonly text: string;
  readonly tone: Tone;
}
/** Something that shows a model until it is stopped. */
export interface ProgressView {
  /** The run is durable and has an id. */
  begun(runId: string, graph: string): void;
  /** What the run is doing now, when that is more than running. */
  phase(phase: Phase): void;
  /** Shows the last state, and what the run came to, and lets go of the terminal. Safe to call twice. */
  stop(last?: Phase): void;
}
export declare const silentView: ProgressView;
