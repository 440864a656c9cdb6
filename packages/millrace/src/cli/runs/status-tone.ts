import type { RunStatus } from "@millrace/core";
import type { Tone } from "../format/style.ts";

/** How a status is coloured wherever it is shown. */
export function statusTone(status: RunStatus): Tone {
  if (status === "completed") return "good";
  if (status === "running" || status === "queued") return "active";
  return status === "drained" || status === "interrupted" ? "warn" : "bad";
}
