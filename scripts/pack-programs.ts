/**
 * `node scripts/pack-programs.ts <out> <file…>`: programs of the tests of core, with all that they import, as a few files. A
 * process that loads these is at work in a third of the time that the sources take, which counts where a hundred are killed.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { bundle } from "./build/bundle.ts";
import { root } from "./packages.ts";

const [, , out = "", ...files] = process.argv;
const folder = join(root, "packages/core");
const names = files.map((file) => relative(folder, file));

mkdirSync(out, { recursive: true });
writeFileSync(join(out, "package.json"), '{ "type": "module" }');
await bundle({
  folder,
  sources: folder,
  entries: Object.fromEntries(names.map((name) => [name.replace(/\.ts$/, ""), name])),
  out,
});
