import type { Tables } from "./tables.ts";

/** `$1` the text, for all who listen. */
export function notify({ channel }: Tables): string {
  return `SELECT pg_notify(${channel}, $1)::text`;
}
