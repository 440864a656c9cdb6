/** Every layer rule, broken once: a checker that passes everything would fail here. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { checkConsumerTree, checkCoreTree, type TreeReport } from "../layers/check-tree.ts";
import type { Rule } from "../layers/rules.ts";
import { consumers, layers } from "../layers/table.ts";

type Files = Record<string, string>;

function inTree(files: Files, check: (folder: string) => TreeReport): TreeReport {
  const folder = mkdtempSync(join(tmpdir(), "millrace-layers-"));
  try {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    return check(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const names = ({ violations }: TreeReport): string[] => violations.map((v) => `${v.path}:${v.line} ${v.rule}`);

const broken: [title: string, rule: Rule, path: string, text: string][] = [
  ["a folder outside the table", "unknown-layer", "stuff/a.ts", `export const a = 1;`],
  ["base imports model", "layer-import", "base/a.ts", `import { m } from "../model/m.ts";`],
  ["model imports ports", "layer-import", "model/a.ts", `import { p } from "../ports/p.ts";`],
  ["events imports model", "layer-import", "events/a.ts", `import { m } from "../model/m.ts";`],
  ["ports imports build", "layer-import", "ports/a.ts", `import { b } from "../build/b.ts";`],
  ["build imports state", "layer-import", "build/a.ts", `import { s } from "../state/s.ts";`],
  ["state imports build", "layer-import", "state/a.ts", `import { b } from "../build/b.ts";`],
  ["state imports scheduler", "layer-import", "state/a.ts", `import { s } from "../scheduler/s.ts";`],
  ["scheduler imports runtime", "layer-import", "scheduler/a.ts", `import { r } from "../runtime/r.ts";`],
  ["scheduler imports a backend", "layer-import", "scheduler/a.ts", `import { m } from "../backends/memory.ts";`],
  ["scheduler imports journal", "layer-import", "scheduler/a.ts", `import { j } from "../journal/j.ts";`],
  ["runtime imports journal", "layer-import", "runtime/a.ts", `import { j } from "../journal/j.ts";`],
  ["runtime imports engine", "layer-import", "runtime/a.ts", `import { e } from "../engine/e.ts";`],
  ["journal imports runtime", "layer-import", "journal/a.ts", `import { r } from "../runtime/r.ts";`],
  ["journal imports a backend", "layer-import", "journal/a.ts", `import { m } from "../backends/memory.ts";`],
  ["backends import scheduler", "layer-import", "backends/a.ts", `import { s } from "../scheduler/s.ts";`],
  ["backends import runtime", "layer-import", "backends/a.ts", `import { r } from "../runtime/r.ts";`],
  ["backends import engine", "layer-import", "backends/a.ts", `import { e } from "../engine/e.ts";`],
  ["node imports scheduler", "layer-import", "node/a.ts", `import { s } from "../scheduler/s.ts";`],
  ["node imports state", "layer-import", "node/a.ts", `import { s } from "../state/s.ts";`],
  ["node imports runtime", "layer-import", "node/a.ts", `import { r } from "../runtime/r.ts";`],
  ["engine imports workflow", "layer-import", "engine/a.ts", `import { w } from "../workflow/w.ts";`],
  ["engine imports testing", "layer-import", "engine/a.ts", `import { t } from "../testing/t.ts";`],
  ["state-graph imports scheduler", "layer-import", "state-graph/a.ts", `import { s } from "../scheduler/s.ts";`],
  ["state-graph imports workflow", "layer-import", "state-graph/a.ts", `import { w } from "../workflow/w.ts";`],
  ["workflow imports journal", "layer-import", "workflow/a.ts", `import { j } from "../journal/j.ts";`],
  ["the default entry shows node", "layer-import", "index.ts", `export { n } from "./node/n.ts";`],
  ["the default entry shows testing", "layer-import", "index.ts", `export { t } from "./testing/t.ts";`],
  ["a type import counts", "layer-import", "base/a.ts", `import type { M } from "../model/m.ts";`],
  ["an import type counts", "layer-import", "base/a.ts", `export type M = import("../model/m.ts").M;`],
  ["a dynamic import counts", "layer-import", "base/a.ts", `export const m = () => import("../model/m.ts");`],
  ["a re-export counts", "layer-import", "base/a.ts", `export const a = 1; export * from "../model/m.ts";`],
  ["a file inside imports an entry", "entry-import", "engine/a.ts", `import { a } from "../index.ts";`],
  ["an address of the user's", "outside-import", "runtime/a.ts", `export const m = (url: string) => import(url);`],
  ["a dependency", "outside-import", "build/a.ts", `import { z } from "zod";`],
  ["a file outside src", "outside-import", "build/a.ts", `import { t } from "../../test/t.ts";`],
  ["node:* in the default entry", "node-import", "engine/a.ts", `import { readFileSync } from "node:fs";`],
  ["node:* without the prefix", "node-import", "scheduler/a.ts", `import { readFileSync } from "fs";`],
  ["Date.now outside ports", "impure-global", "engine/a.ts", `export const a = Date.now();`],
  ["new Date() outside ports", "impure-global", "scheduler/a.ts", `export const a = new Date();`],
  ["performance outside ports", "impure-global", "build/a.ts", `export const a = performance.now();`],
  ["Math.random outside ports", "impure-global", "runtime/a.ts", `export const a = Math.random();`],
  ["setTimeout outside ports", "impure-global", "runtime/a.ts", `setTimeout(() => {}, 1);`],
  ["globalThis.setTimeout outside ports", "impure-global", "runtime/a.ts", `globalThis.setTimeout(() => {}, 1);`],
  ["a timer passed as a value", "impure-global", "runtime/a.ts", `export const later = { setTimeout };`],
  ["randomUUID outside ports", "impure-global", "engine/a.ts", `export const a = crypto.randomUUID();`],
  ["Promise in the scheduler", "async-in-pure-layer", "scheduler/a.ts", `export const a = Promise.resolve();`],
  ["an async function in build", "async-in-pure-layer", "build/a.ts", `export async function a() {}`],
  ["an async arrow in state", "async-in-pure-layer", "state/a.ts", `export const a = async () => {};`],
  ["await in the scheduler", "async-in-pure-layer", "scheduler/a.ts", `await 1;`],
  ["for await in the scheduler", "async-in-pure-layer", "scheduler/a.ts", `for await (const x of []) x;`],
  ["queueMicrotask in the scheduler", "async-in-pure-layer", "scheduler/a.ts", `queueMicrotask(() => {});`],
  ["a barrel", "barrel", "scheduler/lanes.ts", `export * from "./lane.ts";`],
  ["types.ts", "dump-name", "model/types.ts", `export type A = 1;`],
  ["utils.ts", "dump-name", "base/utils.ts", `export const a = 1;`],
  ["helpers.ts", "dump-name", "base/helpers.ts", `export const a = 1;`],
  ["manager.ts", "dump-name", "engine/manager.ts", `export const a = 1;`],
];

test.each(broken)("the checker names %s as %s", (_title, rule, path, text) => {
  expect(names(inTree({ [path]: text }, checkCoreTree))).toEqual([`${path}:1 ${rule}`]);
});

const fine: [title: string, path: string, text: string][] = [
  ["downward imports", "scheduler/a.ts", `import { s } from "../state/s.ts"; import { a } from "./b.ts";`],
  ["promises as types", "build/a.ts", `export type Body = (x: Promise<number>) => Promise<void>;`],
  ["a file that the table names", "journal/a.ts", `import type { Recorder } from "../runtime/recorder.ts";`],
  ["refusing a promise", "build/a.ts", `export const a = (x: unknown): boolean => x instanceof Promise;`],
  ["a date made from a number", "journal/a.ts", `export const a = (ms: number): Date => new Date(ms);`],
  ["a port's own timer", "ports/system-clock.ts", `export const now = (): number => Date.now();`],
  ["a method that is called setTimeout", "runtime/a.ts", `clock.setTimeout(1); export const o = { setTimeout: 1 };`],
  ["promises in the runtime", "runtime/a.ts", `export const a = async () => Promise.resolve(1);`],
  ["Node in the node entry", "node/a.ts", `import { DatabaseSync } from "node:sqlite"; setTimeout(() => {}, 1);`],
  ["an entry that re-exports", "node/index.ts", `export { sqlite } from "./sqlite/backend.ts";`],
];

test.each(fine)("the checker allows %s", (_title, path, text) => {
  expect(names(inTree({ [path]: text }, checkCoreTree))).toEqual([]);
});

test("an application that reaches past the public entry is named", () => {
  const check = (folder: string): TreeReport => checkConsumerTree(folder, ["millrace"]);
  const files = {
    "core.ts": `import { op } from "@millrace/core";`,
    "inside.ts": `import { step } from "../../packages/core/src/scheduler/step.ts";`,
    "helpers.ts": `export const a = 1;`,
    "other.ts": `import { pad } from "left-pad";`,
    "public.ts": `import { op } from "millrace"; import { local } from "./core.ts"; import { join } from "node:path";`,
  };
  expect(names(inTree(files, check))).toEqual([
    "core.ts:1 public-entry",
    "helpers.ts:1 dump-name",
    "inside.ts:1 public-entry",
    "other.ts:1 outside-import",
  ]);
});

test("the layer table has no cycle", () => {
  const reaches = (from: string, to: string): boolean =>
    (layers[from]?.mayImport ?? []).some((next) => next === to || reaches(next, to));
  expect(Object.keys(layers).filter((layer) => reaches(layer, layer))).toEqual([]);
});

test("the checker sees the real tree, and it is clean", () => {
  const root = join(import.meta.dirname, "../..");
  const core = checkCoreTree(join(root, "packages/core/src"));
  expect(core.modules).toBeGreaterThan(0);
  expect(names(core)).toEqual([]);
  for (const { folder, mayImport } of consumers) {
    const report = checkConsumerTree(join(root, folder), mayImport);
    expect(report.modules, folder).toBeGreaterThan(0);
    expect(names(report)).toEqual([]);
  }
});
