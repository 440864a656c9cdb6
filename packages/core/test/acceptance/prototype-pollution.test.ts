import { expect, test } from "vitest";
import { Child } from "./support/child.ts";

const places = [
  "input",
  "caller context",
  "labels",
  "error data",
  "question",
  "item",
  "answer",
  "output",
  "answer in the output",
  "merge cell",
  "last cell",
  "input as read",
  "labels as read",
  "logged",
  "redacted",
  "trace",
];

test("HAZARDS 8: __proto__, constructor.prototype and toString are keys like others wherever data comes in, with frozen prototypes and over a restart", async () => {
  const child = new Child("polluting", []);
  const code = await child.exit();
  expect([code, child.stderr]).toEqual([0, ""]);
  const { seen, found, polluted } = JSON.parse(child.stdout) as {
    seen: Record<string, [keys: string[], own: unknown, prototype: string, inherits: boolean][]>;
    found: string[];
    polluted: boolean;
  };
  expect(polluted).toBe(false);
  expect(found).toEqual(["r"]);
  expect(Object.keys(seen).toSorted()).toEqual(places.toSorted());
  for (const [place, looks] of Object.entries(seen)) {
    const isLabels = place.startsWith("labels");
    const [keys, own, prototype, inherits] = looks[0]!;
    expect(keys, place).toEqual(["__proto__", "constructor", "toString", ...(isLabels ? [] : ["plain"])]);
    expect(own, place).toEqual(isLabels ? "a" : { polluted: 1 });
    expect([prototype, inherits], place).toEqual(["Object", false]);
  }
});
