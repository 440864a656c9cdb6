/**
 * `node scripts/golden-journals.ts v0.2`: records the journals of a release, which every later version replays for ever
 * (packages/core/test/journals). A folder that is there is never changed.
 */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "./packages.ts";

const [version = ""] = process.argv.slice(2);
// Tests of core are no part of this program's types.
const module = pathToFileURL(join(root, "packages/core/test/journals/record.ts")).href;
const { recordAll } = (await import(module)) as { recordAll: (version: string) => Promise<number> };
try {
  console.log(`recorded ${await recordAll(version)} journals of ${version}`);
} catch (error) {
  console.error(`error: ${(error as Error).message}`);
  process.exitCode = 1;
}
