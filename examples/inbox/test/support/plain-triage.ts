import { classify, emptyModel, type Model } from "../../src/bayes.ts";
import type { Judgement } from "../../src/confusion.ts";
import { labelOf, messageIds } from "../../src/corpus.ts";
import { envelopeOf, type Envelope } from "../../src/envelope.ts";
import { featuresOf, packFeatures, unpackFeatures } from "../../src/features.ts";
import type { Failure } from "../../src/failures.ts";
import { guessLanguage, type Language } from "../../src/language.ts";
import { parseMail } from "../../src/mime.ts";
import { readMessage } from "../../src/corpus.ts";
import { countMonth } from "../../src/months.ts";
import { learn } from "../../src/learn.ts";
import { buildReport, type Report } from "../../src/report.ts";
import { countSender } from "../../src/senders.ts";
import { splitOf } from "../../src/split.ts";
import { emptyTally } from "../../src/tally.ts";
import { groupThreads } from "../../src/threads.ts";
import { UnreadableMail } from "../../src/unreadable-mail.ts";

export interface Triaged {
  readonly id: string;
  readonly envelope: Envelope;
  readonly features: string;
  readonly language: Language;
}

export interface Reading {
  readonly mails: readonly Triaged[];
  readonly failures: readonly Failure[];
}

/** The first pass as a plain loop: what the graph must compute, written without an engine. */
export async function readAll(ids: Iterable<string> = messageIds()): Promise<Reading> {
  const mails: Triaged[] = [];
  const failures: Failure[] = [];
  for (const id of ids) {
    try {
      const mail = await parseMail(id, await readMessage(id));
      const language = guessLanguage(mail.body);
      mails.push({ id, envelope: envelopeOf(mail), features: packFeatures(featuresOf(mail)), language });
    } catch (error) {
      if (!(error instanceof UnreadableMail)) throw error;
      failures.push({ id, reason: error.code, message: error.message });
    }
  }
  return { mails, failures };
}

/** The second pass, the reduces and the report. */
export function triage({ mails, failures }: Reading): Report {
  const model = mails.reduce<Model>(
    (seen, { id, features }) => learn(seen, { split: splitOf(id), label: labelOf(id), features }),
    emptyModel,
  );
  const judged = mails.map((mail) => ({ ...mail, verdict: classify(model, unpackFeatures(mail.features)).label }));
  return buildReport({
    judgements: judged.map(({ id, verdict }): Judgement => ({ split: splitOf(id), label: labelOf(id), verdict })),
    failures,
    languages: mails.map(({ language }) => language),
    months: judged.reduce((tally, m) => countMonth(tally, { date: m.envelope.date, label: m.verdict }), emptyTally),
    senders: judged.reduce(
      (tally, m) => countSender(tally, { from: m.envelope.from.address, label: m.verdict }),
      emptyTally,
    ),
    threads: groupThreads(mails.map(({ envelope }) => envelope)),
  });
}
