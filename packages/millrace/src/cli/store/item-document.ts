import type { StoreItem } from "@millrace/core";
import { isoTime } from "../format/time.ts";

/** An item as JSON shows it. */
export function itemDocument({ namespace, key, value, createdAt, updatedAt, expiresAt }: StoreItem): object {
  return {
    namespace,
    key,
    value,
    createdAt: isoTime(createdAt),
    updatedAt: isoTime(updatedAt),
    expiresAt: expiresAt === undefined ? null : isoTime(expiresAt),
  };
}
