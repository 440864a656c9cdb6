import type { Labels } from "@millrace/core";
import { oneLine } from "../format/text.ts";

/** `user=ann session="s 1"` */
export function labelsText(labels: Labels | null): string {
  return Object.entries(labels ?? {})
    .map(([key, value]) => `${key}=${/^[\w.:/@+-]+$/.test(value) ? value : JSON.stringify(oneLine(value))}`)
    .join(" ");
}
