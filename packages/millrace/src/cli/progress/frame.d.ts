import { type Span, type Tone } from "../format/style.ts";
import type { RunProgress } from "./model.ts";
export interface FrameSize {
  readonly columns: number;
  readonly rows: number;
}
export interface FrameOptions extends FrameSize {
  readonly unicode: boolean;
  /** What the run is doing, or what it ended as. */
  readonly phase: {
    readonly text: string;
    readonly tone: Tone;
  };
}
export declare function renderFrame(run: RunProgress, options: FrameOptions): Span[][];
