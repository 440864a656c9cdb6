import { op } from "millrace";
import * as bayes from "./bayes.ts";
import { labelOf, messageIds, type Label } from "./corpus.ts";
import { envelopeOf, type Envelope } from "./envelope.ts";
import { featuresOf, packFeatures, unpackFeatures } from "./features.ts";
import { guessLanguage, type Language } from "./language.ts";
import { readMail } from "./mailbox.ts";
import { buildReport, type Findings, type Report } from "./report.ts";
import { splitOf, type Split } from "./split.ts";
import { groupThreads } from "./threads.ts";
import { writeReport, type WrittenFile } from "./write-report.ts";

/** The corpus does not change, so reading it is as repeatable as computing: all ops but `write` are pure. */
const pure = { effect: "pure" } as const;

export interface Listed {
  readonly id: string;
  readonly label: Label;
  readonly split: Split;
}

/** Streams the messages of the corpus; with `every: 10` only each tenth, across all groups. */
export const messages = op(
  "messages",
  pure,
  function* ({ every = 1 }: { every?: number | undefined }): Generator<Listed> {
    if (!Number.isInteger(every) || every < 1)
      throw new RangeError(`every must be a whole number from 1, not ${every}`);
    let index = 0;
    for (const id of messageIds()) {
      if (index++ % every === 0) yield { id, label: labelOf(id), split: splitOf(id) };
    }
  },
);

/** Fails with `UnreadableMail` for a message without a From address, a date or a body. */
export const parse = op("parse", pure, async ({ id }: { id: string }): Promise<Envelope> =>
  envelopeOf(await readMail(id)),
);

/** What the classifier and the language chart need of a body, in a few hundred bytes. */
export const describe = op(
  "describe",
  pure,
  async ({ id }: { id: string }): Promise<{ features: string; language: Language }> => {
    const mail = await readMail(id);
    return { features: packFeatures(featuresOf(mail)), language: guessLanguage(mail.body) };
  },
);

export const classify = op(
  "classify",
  pure,
  ({ model, features }: { model: bayes.Model; features: string }): bayes.Verdict =>
    bayes.classify(model, unpackFeatures(features)),
);

export const threads = op("threads", pure, ({ mails }: { mails: Parameters<typeof groupThreads>[0] }) => ({
  list: groupThreads(mails),
}));

export const summarise = op("summarise", pure, (findings: Findings): Report => buildReport(findings));

export const write = op(
  "write",
  { effect: "idempotent" },
  async ({ report, outDir }: { report: Report; outDir: string }): Promise<{ json: WrittenFile; html: WrittenFile }> =>
    writeReport(report, outDir),
);
