/**
 * `node scripts/golden-journals.ts v0.2` records the journals of graphs for a release, `node scripts/golden-journals.ts workflows-1` those of
 * a set of state graphs or workflows. Every later version replays them for ever (packages/core/test/journals). A folder that is there is
 * never changed.
 */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "./packages.ts";

const [version = ""] = process.argv.slice(2);
// Tests of core are no part of this program's types.
const module = (path: string): string => pathToFileURL(join(root, "packages/core/test/journals", path)).href;
const { recordAll } = (await import(module("record.ts"))) as { recordAll: (version: string) => Promise<number> };
const { recordSet, sets } = (await import(module("turns/record.ts"))) as {
  recordSet: (set: string) => Promise<number>;
  sets: object;
};
try {
  console.log(
    `recorded ${await (Object.hasOwn(sets, version) ? recordSet(version) : recordAll(version))} journals of ${version}`,
  );
} catch (error) {
  console.error(`error: ${(error as Error).message}`);
  process.exitCode = 1;
}
