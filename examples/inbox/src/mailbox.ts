import { readMessage } from "./corpus.ts";
import { parseMail, type Mail } from "./mime.ts";

/** Parsed messages kept in memory: enough for the messages two consecutive ops have in hand at a time. */
const KEPT = 256;
const recent = new Map<string, Promise<Mail>>();

/**
 * Reads and parses a message. Ops hand each other ids instead of bodies, which would put the whole mailbox into the
 * journal; the last few messages are remembered so that the next op seldom parses again. Throws `UnreadableMail`.
 */
export function readMail(id: string): Promise<Mail> {
  const known = recent.get(id);
  if (known !== undefined) return known;
  const mail = readMessage(id).then((raw) => parseMail(id, raw));
  recent.set(id, mail);
  for (const oldest of recent.keys()) {
    if (recent.size <= KEPT) break;
    recent.delete(oldest);
  }
  return mail;
}
