import type { Label } from "./corpus.ts";
import { FEATURE_BUCKETS } from "./features.ts";

/** Naive Bayes over the presence of features: how many documents of each label have each feature. */
export interface Model {
  readonly ham: Evidence;
  readonly spam: Evidence;
}

interface Evidence {
  readonly documents: number;
  /** Documents of this label with the feature, by bucket. */
  readonly counts: Pages;
}

/** Counts by bucket in pages, so that adding a document copies the pages it touches instead of every count. */
type Pages = readonly (readonly number[])[];

const PAGE = 64;

export interface Verdict {
  readonly label: Label;
  /** Log odds of spam against ham, natural logarithm, to three decimals; positive means spam. */
  readonly score: number;
}

const emptyPages: Pages = Array.from({ length: FEATURE_BUCKETS / PAGE }, () => Array.from({ length: PAGE }, () => 0));
const noEvidence: Evidence = { documents: 0, counts: emptyPages };

export const emptyModel: Model = { ham: noEvidence, spam: noEvidence };

/** Adds one document with its sorted features. Returns a new model: a reducer must not change what it was given. */
export function train(model: Model, label: Label, features: readonly number[]): Model {
  return { ...model, [label]: withDocument(model[label], features) };
}

function withDocument(evidence: Evidence, features: readonly number[]): Evidence {
  const counts = evidence.counts.slice();
  let at = -1;
  let page: number[] = [];
  for (const feature of features) {
    if (pageOf(feature) !== at) {
      at = pageOf(feature);
      page = [...(counts[at] ?? [])];
      counts[at] = page;
    }
    page[feature % PAGE] = (page[feature % PAGE] ?? 0) + 1;
  }
  return { documents: evidence.documents + 1, counts };
}

function pageOf(feature: number): number {
  return Math.floor(feature / PAGE);
}

/** In how many documents of a label the feature was seen. */
export function countOf({ counts }: Evidence, feature: number): number {
  return counts[pageOf(feature)]?.[feature % PAGE] ?? 0;
}

export function classify({ ham, spam }: Model, features: readonly number[]): Verdict {
  const documents = ham.documents + spam.documents;
  if (documents === 0) throw new Error("the model has seen no document");
  let score = Math.log((spam.documents + 1) / (ham.documents + 1));
  for (const feature of features) score += Math.log(share(spam, feature, documents) / share(ham, feature, documents));
  return { label: score > 0 ? "spam" : "ham", score: Math.round(score * 1000) / 1000 };
}

/**
 * Share of a label's documents with the feature. One pseudo document is divided between the labels by their size, so
 * that a feature never seen decides nothing: plain add-one smoothing would count it for the smaller label.
 */
function share(evidence: Evidence, feature: number, allDocuments: number): number {
  const size = evidence.documents + 1;
  return (countOf(evidence, feature) + size / (allDocuments + 2)) / size;
}
