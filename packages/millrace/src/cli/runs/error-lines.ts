/** Failures of a run for people: which node, how often, what it said, where it happened first. */
import type { ErrorEntry } from "@millrace/core";
import { showLocation } from "../errors/user-frame.ts";
import { count, plural } from "../format/number.ts";
import type { Paint } from "../format/style.ts";
import { oneLine } from "../format/text.ts";

/**
 * ```
 * parse ×35  NoDate: the message has no Date header
 *   at flows/inbox.ts:31:11 in parseDate
 *   caused by RangeError: Invalid time value
 *   first at inbox/readMailbox[17]/parse, after 1 attempt
 * ```
 */
export function errorLines(entry: ErrorEntry, paint: Paint, cwd: string): string[] {
  const times = entry.count > 1 ? ` ×${count(entry.count)}` : "";
  const head = `${paint(entry.node, "strong")}${paint(times, entry.handled ? "warn" : "bad")}  ${kindOf(entry)}${oneLine(entry.message)}`;
  const below = [...originOf(entry, cwd), whereOf(entry)];
  return [head, ...below.map((line) => paint(`  ${line}`, "quiet"))];
}

function originOf({ at, causes = [] }: ErrorEntry, cwd: string): string[] {
  const from = at === undefined ? [] : [`at ${oneLine(frameOf(at, cwd))}`];
  return [...from, ...causes.map((cause) => `caused by ${oneLine(cause)}`)];
}

/** Of `function (file:line:column)` or the location alone. */
function frameOf(at: string, cwd: string): string {
  const [, name, location = at] = /^(.+?) \((.+)\)$/.exec(at) ?? [];
  return `${showLocation(location, cwd)}${name === undefined ? "" : ` in ${name}`}`;
}

function kindOf({ code, type }: ErrorEntry): string {
  const names = [type, code].filter(
    (name, index, all) => name !== "" && name !== "Failed" && all.indexOf(name) === index,
  );
  return names.length === 0 ? "" : `${names.join(" ")}: `;
}

function whereOf({ path, attempts, count: times, handled, cause }: ErrorEntry): string {
  const parts = [`${times > 1 ? "first at" : "at"} ${path}`];
  if (attempts > 0) parts.push(`after ${plural(attempts, "attempt")}`);
  if (cause !== undefined) parts.push(`because ${cause} failed`);
  if (handled) parts.push("handled by the graph");
  return parts.join(", ");
}
