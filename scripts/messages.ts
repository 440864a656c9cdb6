/**
 * `npm run messages`: errors are written once, as Markdown in the packages' `messages` folders; this makes the module that
 * raises them and the page that explains them. `--check` only says whether they are up to date, and exits 1 if not.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { generate } from "./messages/files.ts";
import { root } from "./packages.ts";

const check = process.argv.includes("--check");
const stale = generate().filter(({ path, text }) => readOrEmpty(path) !== text);
for (const { path, text } of stale) {
  if (check) console.error(`${path} is not what its Markdown says: run npm run messages`);
  else writeFileSync(join(root, path), text);
}
if (!check) console.log(stale.length === 0 ? "up to date" : `written: ${stale.map(({ path }) => path).join(", ")}`);
process.exitCode = check && stale.length > 0 ? 1 : 0;

function readOrEmpty(path: string): string {
  try {
    return readFileSync(join(root, path), "utf8");
  } catch {
    return "";
  }
}
