import { describe, expect, it } from "vitest";
import { classify, countOf, emptyModel, train } from "../src/bayes.ts";
import { learn } from "../src/learn.ts";
import { packFeatures } from "../src/features.ts";

const model = [1, 2, 3].reduce(
  (seen) => train(train(seen, "spam", [10, 11]), "ham", [20, 21]),
  train(emptyModel, "ham", [20]),
);

describe("naive Bayes", () => {
  it("counts the documents of each label that have a feature", () => {
    expect([model.spam.documents, countOf(model.spam, 10), countOf(model.spam, 20)]).toEqual([3, 3, 0]);
    expect([model.ham.documents, countOf(model.ham, 20), countOf(model.ham, 21)]).toEqual([4, 4, 3]);
  });

  it("leaves the model it was given unchanged", () => {
    const before = structuredClone(model);
    train(train(model, "spam", [10, 11, 500]), "ham", [20]);
    expect(model).toEqual(before);
    expect(emptyModel.ham.counts.flat().every((count) => count === 0)).toBe(true);
  });

  it("gives the same model in any order of documents", () => {
    const a = train(train(emptyModel, "spam", [1, 2]), "ham", [2]);
    const b = train(train(emptyModel, "ham", [2]), "spam", [1, 2]);
    expect(a).toEqual(b);
  });

  it("classifies by the features seen in training", () => {
    expect(classify(model, [10, 11])).toMatchObject({ label: "spam" });
    expect(classify(model, [20, 21])).toMatchObject({ label: "ham" });
  });

  it("decides nothing by a feature never seen", () => {
    expect(classify(model, [10, 999]).score).toBe(classify(model, [10]).score);
  });

  it("refuses a model that has learned nothing", () => {
    expect(() => classify(emptyModel, [1])).toThrow("the model has seen no document");
  });

  it("does not learn from the test split", () => {
    const example = { label: "spam", features: packFeatures([10]) } as const;
    expect(learn(model, { ...example, split: "test" })).toBe(model);
    expect(learn(model, { ...example, split: "train" }).spam.documents).toBe(4);
  });
});
