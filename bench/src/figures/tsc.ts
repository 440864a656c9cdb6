/** What the types of a large graph cost the compiler. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Figure, Settings } from "../harness/figure.ts";
import { numbersOf } from "../harness/pairs.ts";
import { sourceOf } from "../workloads/graph-source.ts";

/** Inside of the workspace, where `@millrace/core` resolves. */
const home = fileURLToPath(new URL("../..", import.meta.url));
const compiler = fileURLToPath(import.meta.resolve("typescript/package.json")).replace(/package\.json$/, "bin/tsc");

function compile(folder: string, source: string): number {
  writeFileSync(join(folder, "graph.ts"), source);
  const started = performance.now();
  const { status, stdout, stderr } = spawnSync(process.execPath, [compiler, "-p", folder], { encoding: "utf8" });
  const ms = performance.now() - started;
  if (status !== 0) throw new Error(`the generated graph does not compile:\n${stdout}${stderr}`);
  return ms;
}

function measure({ quick }: Settings, nodes: number) {
  const folder = mkdtempSync(join(home, ".tsc-"));
  try {
    const compilerOptions = {
      noEmit: true,
      composite: false,
      incremental: false,
      types: [],
      lib: ["esnext", "dom", "dom.iterable", "dom.asynciterable"],
    };
    const config = { extends: "../../tsconfig.base.json", compilerOptions, files: ["graph.ts"] };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
    const found = { ours: [] as number[], floor: [] as number[] };
    compile(folder, sourceOf(0));
    for (let i = 0; i < (quick ? 1 : 7); i++) {
      const empty = compile(folder, sourceOf(0));
      found.ours.push(Math.max(0, compile(folder, sourceOf(nodes)) - empty));
      found.floor.push(empty);
    }
    return Promise.resolve({
      ...numbersOf(found.ours, found.floor),
      notes: ["the ratio is what is added over the empty file"],
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function figure(nodes: number, atMost: number): Figure {
  return {
    name: `tsc-${nodes}`,
    title: `time that tsc takes longer for a file with a graph of ${nodes.toLocaleString("en")} nodes, unannotated, than for an empty one`,
    unit: "ms",
    limits: [{ of: "value", atMost }],
    floor: "tsc on a file that imports the package and has an empty graph",
    blind: "editors, which check one file at a time and keep what they know",
    measure: (settings) => measure(settings, nodes),
  };
}

export const tsc200: Figure = figure(200, 1_000);
export const tsc1000: Figure = figure(1_000, 2_000);
