/**
 * Bars that are redrawn in place. A frame is one write; at most ten a second, and none when nothing changed but the
 * clock, which ticks once a second. Whatever else is written to the same stream lands above the bars.
 */
import type { WriteStream } from "node:tty";
import { type Paint } from "../format/style.ts";
import type { ProgressModel } from "./model.ts";
import type { ProgressView } from "./view.ts";
export interface TtyOptions {
  readonly paint: Paint;
  readonly unicode: boolean;
  /** Milliseconds between two looks at the model. */
  readonly everyMs?: number;
}
type Terminal = Pick<WriteStream, "write" | "columns" | "rows">;
export declare function startTtyView(model: ProgressModel, terminal: Terminal, options: TtyOptions): ProgressView;
export {};
