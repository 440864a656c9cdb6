import type { Tables } from "./tables.ts";

/** Whether the run `r` has a live owner, by the server's clock (B6, H4). */
export function lives({ owners }: Tables): string {
  return `EXISTS (SELECT FROM ${owners} AS o WHERE o.n = r.owner_n AND o.lease_until > clock_timestamp())`;
}
