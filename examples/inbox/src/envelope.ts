import type { Mail, Mailbox } from "./mime.ts";

/** What the rest of the run needs of a message's header: small, because it is journaled once per message. */
export interface Envelope {
  readonly from: Mailbox;
  /** Epoch milliseconds. */
  readonly date: number;
  readonly subject: string;
  readonly messageId: string | null;
  /** Message ids this one answers, the nearest ancestors only. */
  readonly parents: readonly string[];
  readonly attachments: number;
}

const MAX_PARENTS = 4;
const MAX_SUBJECT = 200;
const MAX_NAME = 100;

export function envelopeOf(mail: Mail): Envelope {
  const ancestors = mail.inReplyTo === null ? mail.references : [...mail.references, mail.inReplyTo];
  return {
    from: { address: mail.from.address, name: shorten(mail.from.name, MAX_NAME) },
    date: mail.date,
    subject: shorten(mail.subject, MAX_SUBJECT),
    messageId: mail.messageId,
    parents: [...new Set(ancestors)].slice(-MAX_PARENTS),
    attachments: mail.attachments,
  };
}

function shorten(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}
