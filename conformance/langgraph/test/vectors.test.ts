import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { definitions } from "../definitions/index.ts";
import type { Vector } from "../format/vector.ts";
import { hashOf } from "../interpreter/hash.ts";

const folder = join(import.meta.dirname, "../vectors");

function vectorOf(name: string): Vector {
  return JSON.parse(readFileSync(join(folder, `${name}.json`), "utf8")) as Vector;
}

test("definitions have names of their own", () => {
  const names = definitions.map(({ name }) => name);
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
});

test("every vector has a definition and every definition a vector", () => {
  expect(readdirSync(folder).toSorted()).toEqual(definitions.map(({ name }) => `${name}.json`).toSorted());
});

test.each(definitions)("$name: the vector was recorded from this definition", (definition) => {
  const vector = vectorOf(definition.name);
  expect([vector.name, vector.definition]).toEqual([definition.name, hashOf(definition)]);
  expect(vector.calls).toHaveLength(definition.script.length);
});

test("all vectors were recorded from one version, the one that is pinned", () => {
  const { devDependencies } = JSON.parse(readFileSync(join(folder, "../package.json"), "utf8")) as {
    readonly devDependencies: Readonly<Record<string, string>>;
  };
  const versions = new Set(definitions.map(({ name }) => vectorOf(name).recordedFrom));
  expect([...versions]).toEqual([`@langchain/langgraph ${devDependencies["@langchain/langgraph"]}`]);
});
