/** `npm run lint` part two: the layer rules that a linter cannot express. Exit 1 on any violation or an empty tree. */
import { join } from "node:path";
import { checkConsumerTree, checkCoreTree, type TreeReport } from "./layers/check-tree.ts";
import { consumers } from "./layers/table.ts";

const root = join(import.meta.dirname, "..");
const coreFolder = "packages/core/src";

function print(folder: string, { modules, violations }: TreeReport): boolean {
  for (const { path, line, rule, message } of violations)
    console.error(`${folder}/${path}:${line} ${rule}: ${message}`);
  if (modules === 0) console.error(`${folder}: no modules found`);
  else console.log(`${folder}: ${modules} modules, ${violations.length} violations`);
  return modules > 0 && violations.length === 0;
}

const results = [
  print(coreFolder, checkCoreTree(join(root, coreFolder))),
  ...consumers.map(({ folder, mayImport }) => print(folder, checkConsumerTree(join(root, folder), mayImport))),
];
if (results.includes(false)) process.exitCode = 1;
