import { collect, derive, each, graph, reduce, type Ref } from "millrace";
import { emptyModel } from "./bayes.ts";
import { failureOf } from "./failures.ts";
import { learn } from "./learn.ts";
import { countMonth } from "./months.ts";
import { classify, describe, messages, parse, summarise, threads, write } from "./ops.ts";
import { countSender } from "./senders.ts";
import { fulfilled, rejected } from "./settled.ts";
import { emptyTally } from "./tally.ts";

export interface InboxInput {
  /** Folder for `report.json` and `report.html`; made when missing. */
  outDir: string;
  /** Take only each n-th message. Default 1: all. */
  every?: number;
}

/**
 * Triage of a mailbox in two passes. The first reads every message and trains the classifier; the second classifies
 * them, which can only start when the model has seen its last message. A message that cannot be read fails as an item.
 */
export const inbox = graph("inbox", (input: Ref<InboxInput>) => {
  const message = messages({ every: input.every });
  const envelope = parse({ id: message.id }, { parallel: 4 });
  const content = describe({ id: message.id }, { parallel: 4, after: [envelope] });

  const example = { split: message.split, label: message.label, features: content.features };
  const model = reduce("train", example, emptyModel, learn, { errors: "skip" });
  const conversations = threads({ mails: collect(envelope, { errors: "skip" }) });
  const results = collect(
    { ...example, from: envelope.from.address, date: envelope.date, language: content.language },
    { errors: "settle" },
  );

  const readable = derive(results, fulfilled);
  const mail = each(readable, { name: "mail" });
  const verdict = classify({ model, features: mail.features }, { parallel: 4 });
  const senders = reduce("senders", { from: mail.from, label: verdict.label }, emptyTally, countSender);
  const months = reduce("months", { date: mail.date, label: verdict.label }, emptyTally, countMonth);

  const report = summarise({
    judgements: collect({ split: mail.split, label: mail.label, verdict: verdict.label }),
    failures: derive(results, (all) => rejected(all).map(failureOf)),
    languages: derive(readable, (mails) => mails.map(({ language }) => language)),
    months,
    senders,
    threads: conversations.list,
  });
  return { totals: report.totals, quality: report.quality, files: write({ report, outDir: input.outDir }) };
});
