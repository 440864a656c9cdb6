/**
 * `node generator/main.ts [--check] [NAME …]`: records the vectors of all definitions, or of those named, from LangGraph.js.
 * With `--check` nothing is written: it fails if a vector is not what is recorded now, byte for byte, or has no definition.
 */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { definitions } from "../definitions/index.ts";
import type { Vector } from "../format/vector.ts";
import { print } from "./print.ts";
import { record } from "./record.ts";

const folder = join(import.meta.dirname, "../vectors");
const check = process.argv.includes("--check");
const asked = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));
const stale: string[] = [];
let checkpoints = 0;

for (const definition of definitions) {
  if (asked.length > 0 && !asked.includes(definition.name)) continue;
  const vector = await record(definition);
  checkpoints += count(vector);
  keep(definition.name, `${print(vector)}\n`);
}
if (asked.length === 0) for (const file of orphans()) dispose(file);

console.log(
  `${definitions.length} definitions, ${checkpoints} checkpoints${check ? ` checked, ${stale.length} stale` : ""}`,
);
for (const name of stale) console.error(`not as recorded now: ${name}`);
process.exitCode = stale.length > 0 ? 1 : 0;

function keep(name: string, text: string): void {
  const path = join(folder, `${name}.json`);
  if (!check) writeFileSync(path, text);
  else if (!existsSync(path) || readFileSync(path, "utf8") !== text) stale.push(name);
}

function orphans(): readonly string[] {
  const names = new Set(definitions.map(({ name }) => `${name}.json`));
  return readdirSync(folder).filter((file) => !names.has(file));
}

function dispose(file: string): void {
  if (check) stale.push(file);
  else rmSync(join(folder, file));
}

function count({ history }: Vector): number {
  return Object.values(history).reduce((sum, list) => sum + list.length, 0);
}
