import type { Append, AppendResult } from "../../ports/backend.ts";

/** One append that waits. */
export interface Entry {
  readonly append: Append;
  resolve(result: AppendResult): void;
  reject(error: unknown): void;
  /** `single`: in a group of its own. `alone`: in a commit of its own, after others failed with it (H14). */
  company: "any" | "single" | "alone";
  /** A commit of unknown outcome did not happen: there is no second try. */
  wasLost: boolean;
  conflicts: number;
}

/** What only the larger statement can do. */
export function changesMore({ status, fingerprint, release, handled, carry, blobs }: Append): boolean {
  return (
    status !== undefined ||
    fingerprint !== undefined ||
    release === true ||
    carry !== undefined ||
    (handled !== undefined && handled.length > 0) ||
    (blobs !== undefined && blobs.length > 0)
  );
}
