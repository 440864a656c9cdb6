import PostalMime, { type Email } from "postal-mime";
import { htmlToText } from "./html-text.ts";
import { parseMailDate } from "./mail-date.ts";
import { UnreadableMail } from "./unreadable-mail.ts";

/** HTML sent as `text/plain`, as much spam is. */
const MISLABELLED_HTML = /^\s*<(?:html|body|!doctype)\b/i;

/** One parsed message. `body` is plain text, from the HTML part when there is no other. */
export interface Mail {
  readonly id: string;
  readonly from: Mailbox;
  /** Epoch milliseconds. */
  readonly date: number;
  readonly subject: string;
  readonly messageId: string | null;
  readonly inReplyTo: string | null;
  /** Message ids of the ancestors, oldest first. */
  readonly references: readonly string[];
  readonly body: string;
  readonly html: string;
  readonly attachments: number;
  readonly mailer: string;
}

export interface Mailbox {
  /** Lower case, never empty. */
  readonly address: string;
  readonly name: string;
}

/** Throws `UnreadableMail` when the message has no From address, no parsable Date or no body. */
export async function parseMail(id: string, raw: Uint8Array): Promise<Mail> {
  const email = await decode(id, raw);
  return {
    id,
    from: fromOf(id, email),
    date: dateOf(id, email),
    subject: (email.subject ?? "").trim(),
    messageId: messageIdsIn(email.messageId)[0] ?? null,
    inReplyTo: messageIdsIn(email.inReplyTo)[0] ?? null,
    references: messageIdsIn(email.references),
    body: bodyOf(id, email),
    html: email.html ?? "",
    attachments: email.attachments.length,
    mailer: header(email, "x-mailer") ?? header(email, "user-agent") ?? "",
  };
}

async function decode(id: string, raw: Uint8Array): Promise<Email> {
  try {
    return await PostalMime.parse(raw);
  } catch (error) {
    throw new UnreadableMail(id, "bad-mime", `MIME structure cannot be read: ${(error as Error).message}`);
  }
}

function header(email: Email, key: string): string | undefined {
  return email.headers.find((entry) => entry.key === key)?.value;
}

function fromOf(id: string, email: Email): Mailbox {
  const mailbox = email.from?.group === undefined ? email.from : email.from.group[0];
  const address = mailbox?.address?.trim().toLowerCase() ?? "";
  if (address === "") throw new UnreadableMail(id, "no-from", "From has no address");
  return { address, name: mailbox?.name.trim() ?? "" };
}

/** Reads the header itself: postal-mime would read a date without a zone in the zone of this machine. */
function dateOf(id: string, email: Email): number {
  const value = header(email, "date");
  if (value === undefined) throw new UnreadableMail(id, "no-date", "Date is missing");
  const date = parseMailDate(value);
  if (date === undefined) throw new UnreadableMail(id, "bad-date", `Date is not a date: ${value.slice(0, 80)}`);
  return date;
}

function bodyOf(id: string, email: Email): string {
  const { text = "", html = "" } = email;
  if (text.trim() !== "") return MISLABELLED_HTML.test(text) ? htmlToText(text) : text;
  if (html.trim() !== "") return htmlToText(html);
  throw new UnreadableMail(id, "no-body", "there is no text or HTML body");
}

/** `<a@b> <c@d>` gives `["a@b", "c@d"]`; anything else in the header is ignored. */
function messageIdsIn(value: string | undefined): string[] {
  return Array.from((value ?? "").matchAll(/<([^<>\s]{1,250})>/g), (match) => match[1] ?? "");
}
