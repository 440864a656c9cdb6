import { errPaint, type Messages, say } from "../cli.ts";
import { unicodeFor } from "../format/style.ts";
import type { ProgressModel } from "./model.ts";
import { startPlainView } from "./plain-view.ts";
import { startTtyView } from "./tty-view.ts";
import { type ProgressView, silentView } from "./view.ts";

/** Bars on a terminal, a line every few seconds elsewhere, nothing when quiet; always on stderr. */
export function startProgress(model: ProgressModel, cli: Messages, quiet: boolean): ProgressView {
  if (quiet) return silentView;
  if (cli.stderr.isTTY && cli.env["TERM"] !== "dumb") {
    return startTtyView(model, cli.stderr, { paint: errPaint(cli), unicode: unicodeFor(cli.env, cli.platform) });
  }
  return startPlainView(model, (text) => say(cli, text));
}
