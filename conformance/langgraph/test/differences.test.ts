import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { definitions } from "../definitions/index.ts";
import { differences } from "../differences.ts";
import type { Vector } from "../format/vector.ts";
import { expectedOf } from "../interpreter/otherwise.ts";
import { ours } from "../ours/index.ts";

test("differences are said of definitions that there are", () => {
  const names = definitions.map(({ name }) => name);
  expect(Object.keys(ours).filter((name) => !names.includes(name))).toEqual([]);
});

test("every difference shows in a vector, or says why it does not", () => {
  const shown = new Set(Object.values(ours).flatMap((list) => list.map(({ difference }) => difference)));
  const seen = Object.keys(differences).filter((name) => differences[name]!.unseen === undefined);
  expect([...shown].toSorted()).toEqual(seen.toSorted());
});

test.each(definitions.filter(({ ours }) => ours !== undefined))("$name: each difference is one", ({ name, ours }) => {
  const vector = JSON.parse(readFileSync(join(import.meta.dirname, `../vectors/${name}.json`), "utf8")) as Vector;
  expect(expectedOf(vector, ours)).not.toEqual(vector);
});

test("the table in the documentation has these differences, in these words", () => {
  const page = readFileSync(join(import.meta.dirname, "../../../docs/state-graphs-differences.md"), "utf8");
  const rows = page
    .split("\n")
    .filter((line) => line.startsWith("| "))
    .map((line) => line.split("|").map((cell) => cell.trim()))
    .slice(2);
  const cells = Object.values(differences).map(({ langgraph, millrace, reason }) => [
    "",
    langgraph,
    millrace,
    reason,
    "",
  ]);
  expect(rows).toEqual(cells);
});
