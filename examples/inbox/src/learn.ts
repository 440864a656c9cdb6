import { train, type Model } from "./bayes.ts";
import type { Label } from "./corpus.ts";
import { unpackFeatures } from "./features.ts";
import type { Split } from "./split.ts";

export interface Example {
  readonly split: Split;
  readonly label: Label;
  /** Packed, as journaled. */
  readonly features: string;
}

/** Fold of the training reduce: messages of the test split are left out. */
export function learn(model: Model, { split, label, features }: Example): Model {
  return split === "test" ? model : train(model, label, unpackFeatures(features));
}
