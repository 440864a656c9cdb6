import type { Tables } from "./tables.ts";

/** Version 2: where the last snapshot of a run stands. A process of the version before writes none, and needs none. */
export function schema2({ runs }: Tables): string {
  return `
ALTER TABLE ${runs} ADD COLUMN snapshot_seq bigint NOT NULL DEFAULT 0;`;
}
