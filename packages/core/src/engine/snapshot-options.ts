import type { SnapshotPolicy } from "../journal/snapshot/snapshots.ts";
import type { EngineOptions } from "./api.ts";
import { checkKeys, wrong } from "./option-checks.ts";

const usual: SnapshotPolicy = { after: 32 * 1024, share: 0.1 };
const small: SnapshotPolicy["early"] = { after: 4 * 1024, share: 0.25, rows: 64 };

/** Undefined: none are written. */
export function snapshotPolicy(options: EngineOptions["snapshots"]): SnapshotPolicy | undefined {
  if (options === false) return undefined;
  return options === undefined ? { ...usual, early: small } : { ...usual, ...options };
}

export function checkSnapshots(options: Exclude<EngineOptions["snapshots"], undefined>): void {
  if (options === false) return;
  checkKeys("snapshots", options, ["after", "share"]);
  const { after, share } = options;
  for (const [name, value] of Object.entries({ after, share }))
    if (value !== undefined && !(value > 0))
      throw wrong(`snapshots.${name} must be a number above 0, not ${String(value)}`, "or write snapshots: false");
}
