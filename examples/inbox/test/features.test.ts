import { describe, expect, it } from "vitest";
import { readMessage } from "../src/corpus.ts";
import { FEATURE_BUCKETS, featuresOf, MAX_FEATURES, packFeatures, unpackFeatures } from "../src/features.ts";
import { parseMail, type Mail } from "../src/mime.ts";

const id = "spam-1/00001.7848dde101aa985090474a91ec93fcf0";
const spam = await parseMail(id, await readMessage(id));
const withBody = (body: string): Mail => ({ ...spam, body, html: "" });

describe("features of a message", () => {
  it("are sorted bucket numbers without duplicates", () => {
    const features = featuresOf(spam);
    expect(features).toEqual([...new Set(features)].sort((a, b) => a - b));
    expect(features.every((feature) => feature >= 0 && feature < FEATURE_BUCKETS)).toBe(true);
  });

  it("are bounded, however long the body", () => {
    const words = Array.from({ length: 5_000 }, (_, n) => `word${n}`).join(" ");
    expect(featuresOf(withBody(words))).toHaveLength(MAX_FEATURES);
    expect(packFeatures(featuresOf(withBody(words))).length).toBeLessThan(450);
  });

  it("ignore case and repetition of words", () => {
    expect(featuresOf(withBody("Viagra viagra VIAGRA!"))).toEqual(featuresOf(withBody("viagra.VIAGRA.Viagra.")));
  });

  it("tell a word in the subject from one in the body", () => {
    expect(featuresOf({ ...withBody(""), subject: "lottery" })).not.toEqual(
      featuresOf({ ...withBody("lottery"), subject: "" }),
    );
  });

  it("survive packing", () => {
    expect(unpackFeatures(packFeatures([0, 1, 255, 256, 65_535]))).toEqual([0, 1, 255, 256, 65_535]);
    expect(unpackFeatures(packFeatures([]))).toEqual([]);
  });

  it("take no longer for a hostile subject", () => {
    const started = performance.now();
    for (const subject of ["A".repeat(1e6) + "a", " ".repeat(1e6)]) featuresOf({ ...spam, subject });
    expect(performance.now() - started).toBeLessThan(1_000);
  });
});
