import { DisjointSets } from "./disjoint-sets.ts";
import type { Envelope } from "./envelope.ts";

export interface Thread {
  /** Subject of the earliest message, without reply and list prefixes. */
  readonly subject: string;
  readonly messages: number;
  readonly participants: number;
  /** Epoch milliseconds of the earliest and the latest message. */
  readonly first: number;
  readonly last: number;
}

type ThreadMail = Omit<Envelope, "attachments">;

/** A reply without References joins a thread of the same subject when it comes within this time of its last message. */
const SAME_SUBJECT_WITHIN = 14 * 24 * 60 * 60 * 1000;

/**
 * Groups messages into conversations: by References and In-Reply-To (RFC 5322 §3.6.4), and by subject for replies
 * whose mailer wrote neither. Conversations of two and more messages, largest first.
 */
export function groupThreads(mails: readonly ThreadMail[]): Thread[] {
  const ordered = [...mails].sort((a, b) => a.date - b.date || compare(a.messageId ?? "", b.messageId ?? ""));
  const sets = new DisjointSets();
  const keys = ordered.map((mail, index) => mail.messageId ?? `unnamed ${index}`);
  linkByReferences(ordered, keys, sets);
  linkBySubject(ordered, keys, sets);
  const groups = Map.groupBy(ordered, (_, index) => sets.find(keys[index] ?? ""));
  return [...groups.values()]
    .filter((group) => group.length > 1)
    .map(summarise)
    .sort((a, b) => b.messages - a.messages || a.first - b.first || compare(a.subject, b.subject));
}

function linkByReferences(mails: readonly ThreadMail[], keys: readonly string[], sets: DisjointSets): void {
  mails.forEach((mail, index) => {
    for (const parent of mail.parents) sets.join(keys[index] ?? "", parent);
  });
}

function linkBySubject(mails: readonly ThreadMail[], keys: readonly string[], sets: DisjointSets): void {
  const latest = new Map<string, { readonly key: string; readonly date: number }>();
  mails.forEach((mail, index) => {
    const subject = baseSubject(mail.subject).toLowerCase();
    const key = keys[index] ?? "";
    const before = latest.get(subject);
    const orphan = mail.parents.length === 0 && isReply(mail.subject);
    if (orphan && before !== undefined && mail.date - before.date <= SAME_SUBJECT_WITHIN) sets.join(key, before.key);
    if (subject !== "") latest.set(subject, { key, date: mail.date });
  });
}

/** `group` is in date order and not empty. */
function summarise(group: readonly ThreadMail[]): Thread {
  return {
    subject: baseSubject(group[0]?.subject ?? ""),
    messages: group.length,
    participants: new Set(group.map((mail) => mail.from.address)).size,
    first: group[0]?.date ?? 0,
    last: group.at(-1)?.date ?? 0,
  };
}

const PREFIX = /^(?:(?:re|aw|fw|fwd)(?:\[\d+\])?:|\[[^\][]{1,40}\])\s*/i;

function baseSubject(subject: string): string {
  let base = subject.replace(/\s+/g, " ").trim();
  for (let shorter = base.replace(PREFIX, ""); shorter !== base; shorter = base.replace(PREFIX, "")) base = shorter;
  return base;
}

function isReply(subject: string): boolean {
  return /^(?:\[[^\][]{1,40}\]\s*)?(?:re|aw)(?:\[\d+\])?:/i.test(subject.trim());
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
