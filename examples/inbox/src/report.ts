import { qualityOf, type Judgement, type Quality } from "./confusion.ts";
import type { Failure } from "./failures.ts";
import type { Language } from "./language.ts";
import { countsByKey, countsBySize, type Count, type Tally } from "./tally.ts";
import type { Thread } from "./threads.ts";

/**
 * Everything the run found out. Plain JSON without clock, path or attempt counts, in an order that depends on the data
 * alone: equal inputs give identical bytes, however often the run was interrupted.
 */
export interface Report {
  readonly totals: {
    readonly messages: number;
    readonly triaged: number;
    readonly failed: number;
    readonly trainedOn: number;
    readonly testedOn: number;
    readonly senders: number;
    readonly threads: number;
  };
  /** Judged by the true labels of the test split. */
  readonly quality: Quality;
  /** By verdict, oldest first. Only months with messages are listed. */
  readonly months: readonly Count[];
  /** By verdict, most messages first. */
  readonly senders: readonly Count[];
  readonly languages: readonly { readonly language: Language; readonly messages: number }[];
  readonly threads: readonly Thread[];
  readonly failures: {
    readonly reasons: readonly { readonly reason: string; readonly messages: number }[];
    readonly messages: readonly Failure[];
  };
}

export interface Findings {
  readonly judgements: readonly Judgement[];
  readonly failures: readonly Failure[];
  readonly languages: readonly Language[];
  readonly months: Tally;
  readonly senders: Tally;
  readonly threads: readonly Thread[];
}

const TOP_SENDERS = 20;
const LARGEST_THREADS = 20;

export function buildReport(findings: Findings): Report {
  const { judgements, failures, threads } = findings;
  const senders = countsBySize(findings.senders);
  const trainedOn = judgements.filter((judgement) => judgement.split === "train").length;
  return {
    totals: {
      messages: judgements.length + failures.length,
      triaged: judgements.length,
      failed: failures.length,
      trainedOn,
      testedOn: judgements.length - trainedOn,
      senders: senders.length,
      threads: threads.length,
    },
    quality: qualityOf(judgements),
    months: countsByKey(findings.months),
    senders: senders.slice(0, TOP_SENDERS),
    languages: frequencies(findings.languages).map(([language, messages]) => ({ language, messages })),
    threads: threads.slice(0, LARGEST_THREADS),
    failures: {
      reasons: frequencies(failures.map((failure) => failure.reason)).map(([reason, messages]) => ({
        reason,
        messages,
      })),
      messages: failures,
    },
  };
}

/** Most frequent first, then by value. */
function frequencies<T extends string>(values: readonly T[]): [T, number][] {
  const counts = new Map<T, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
}

export function reportJson(report: Report): string {
  return `${JSON.stringify(report, null, 2)}\n`;
}
