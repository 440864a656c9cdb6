import { type Messages } from "../cli.ts";
import type { ProgressModel } from "./model.ts";
import { type ProgressView } from "./view.ts";
/** Bars on a terminal, a line every few seconds elsewhere, nothing when quiet; always on stderr. */
export declare function startProgress(model: ProgressModel, cli: Messages, quiet: boolean): ProgressView;
