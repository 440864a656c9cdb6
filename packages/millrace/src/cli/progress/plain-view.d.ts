import type { ProgressModel, RunProgress } from "./model.ts";
import type { ProgressView } from "./view.ts";
export interface PlainOptions {
  readonly everyMs?: number;
}
export declare function startPlainView(
  model: ProgressModel,
  write: (text: string) => unknown,
  options?: PlainOptions,
): ProgressView;
/** `00:05 inbox: read 1,200 items 240/s | parse 900/1,200+ 180/s 35 failed | 8 in flight` */
export declare function plainLine(run: RunProgress): string;
