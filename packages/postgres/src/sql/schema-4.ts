import type { Tables } from "./tables.ts";

/** Version 4: the runs of a thread in their order (B16), so that the newest is found without looking at the others. */
export function schema4({ runs }: Tables): string {
  return `
CREATE INDEX runs_order ON ${runs} (thread, carried_up_to, n) WHERE thread IS NOT NULL;`;
}
