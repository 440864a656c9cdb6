import type { Label } from "./corpus.ts";
import type { Split } from "./split.ts";

/** One classified message: what it is, what it was taken for, and whether the model had seen it in training. */
export interface Judgement {
  readonly split: Split;
  readonly label: Label;
  readonly verdict: Label;
}

/** Counted over the test split only. Spam is the positive class. */
export interface Quality {
  readonly confusion: {
    readonly hamAsHam: number;
    readonly hamAsSpam: number;
    readonly spamAsHam: number;
    readonly spamAsSpam: number;
  };
  /** Shares from 0 to 1, to four decimals; `null` when there is nothing to divide by. */
  readonly accuracy: number | null;
  readonly precision: number | null;
  readonly recall: number | null;
}

export function qualityOf(judgements: readonly Judgement[]): Quality {
  const tested = judgements.filter((judgement) => judgement.split === "test");
  const cell = (label: Label, verdict: Label): number =>
    tested.filter((judgement) => judgement.label === label && judgement.verdict === verdict).length;
  const confusion = {
    hamAsHam: cell("ham", "ham"),
    hamAsSpam: cell("ham", "spam"),
    spamAsHam: cell("spam", "ham"),
    spamAsSpam: cell("spam", "spam"),
  };
  return {
    confusion,
    accuracy: share(confusion.hamAsHam + confusion.spamAsSpam, tested.length),
    precision: share(confusion.spamAsSpam, confusion.spamAsSpam + confusion.hamAsSpam),
    recall: share(confusion.spamAsSpam, confusion.spamAsSpam + confusion.spamAsHam),
  };
}

function share(part: number, whole: number): number | null {
  return whole === 0 ? null : Math.round((part / whole) * 10_000) / 10_000;
}
