import type { Append, AppendResult } from "../../ports/backend.ts";

/** One append that waits. */
export interface Entry {
  readonly append: Append;
  resolve(result: AppendResult): void;
  reject(error: unknown): void;
  /** `single`: in a group of its own. `alone`: in a commit of its own, after others failed with it (H14), or it was lost twice. */
  company: "any" | "single" | "alone";
  /** How often it was in a commit whose connection went, and that, as was seen then, had not happened. */
  losses: number;
  /** When it was first found so: monotonic time, milliseconds. */
  firstLostAt: number | undefined;
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
