import type { RunInfo } from "@millrace/core";
import type { PrintedResult } from "./present-result.ts";

/** What a run came to, as its backend has it. */
export function resultOf({ status, output, errors, reason = "", interrupts }: RunInfo): PrintedResult {
  if (status === "completed") return { status, output, errors };
  if (status === "interrupted") return { status, interrupts, errors };
  if (status === "cancelled") return { status, reason, errors };
  return { status: status === "drained" ? status : "failed", errors };
}
