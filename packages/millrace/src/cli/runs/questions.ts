/** Open questions of a run, for people and for programs. */
import type { Interrupt } from "@millrace/core";
import { plain, toJson } from "../format/json.ts";
import type { Paint } from "../format/style.ts";
import { oneLine } from "../format/text.ts";
import { duration, isoTime } from "../format/time.ts";

/** Longer payloads are cut; `--json` has them whole. */
const payloadLength = 300;

/**
 * ```
 * gate/then/approve  Send it?
 *   id       0b6f7c2e…
 *   asks     {"text":"send to you?"}
 *   at       approval/gate/then/approve
 *   asked    2025-03-01T09:57:00.000Z, 3m 00s ago
 *   due      2025-03-01T12:00:00.000Z, in 2h 03m
 * ```
 */
export function questionLines(question: Interrupt, now: number, paint: Paint): string[] {
  const { id, node, path, payload, due, title, askedAt } = question;
  const rows: [string, string][] = [
    ["id", id],
    ["asks", cut(oneLine(toJson(payload)))],
    ["at", path],
  ];
  if (askedAt !== undefined) rows.push(["asked", `${isoTime(askedAt)}, ${duration(Math.max(0, now - askedAt))} ago`]);
  if (due !== undefined) rows.push(["due", `${isoTime(due)}, ${due > now ? `in ${duration(due - now)}` : "now"}`]);
  const head = paint(node, "strong") + (title === undefined ? "" : `  ${oneLine(title)}`);
  return [head, ...rows.map(([name, text]) => `  ${paint(name.padEnd(8), "quiet")} ${text}`)];
}

/** Field names are stable; times are ISO 8601 in UTC (F34). */
export function questionDocument(question: Interrupt): Record<string, unknown> {
  const { id, node, path, payload, due, title, askedAt } = question;
  return {
    id,
    node,
    path,
    payload: plain(payload) ?? null,
    due: due === undefined ? null : isoTime(due),
    ...(askedAt !== undefined && { askedAt: isoTime(askedAt) }),
    ...(title !== undefined && { title }),
  };
}

/** With the titles that the graph gives them, by node. */
export function titled(questions: readonly Interrupt[], titles: ReadonlyMap<string, string>): Interrupt[] {
  return questions.map((question) => {
    const title = titles.get(question.node);
    return title === undefined ? question : { ...question, title };
  });
}

/** The shortest name that means this question and no other of the open ones. */
export function nameOf(question: Interrupt, open: readonly Interrupt[]): string {
  return open.some((other) => other.id !== question.id && other.node === question.node) ? question.path : question.node;
}

function cut(text: string): string {
  return text.length <= payloadLength ? text : `${text.slice(0, payloadLength)} … --json prints all`;
}
