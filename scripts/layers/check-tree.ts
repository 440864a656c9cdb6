/** Reads a source tree and applies the rules to every module of it. */
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { checkConsumerModule, checkCoreModule, type Violation } from "./rules.ts";
import { parseModule, type SourceModule } from "./source-module.ts";

export interface TreeReport {
  /** How many files were parsed: a checker that sees none passes everything. */
  readonly modules: number;
  readonly violations: readonly Violation[];
}

export function checkCoreTree(folder: string): TreeReport {
  return checkTree(folder, checkCoreModule);
}

export function checkConsumerTree(folder: string, mayImport: readonly string[]): TreeReport {
  return checkTree(folder, (module) => checkConsumerModule(module, mayImport));
}

function checkTree(folder: string, check: (module: SourceModule) => Violation[]): TreeReport {
  const paths = existsSync(folder)
    ? globSync("**/*.ts", { cwd: folder }).map((path) => path.replaceAll("\\", "/"))
    : [];
  const violations = paths
    .toSorted()
    .flatMap((path) => check(parseModule(path, readFileSync(join(folder, path), "utf8"))));
  return { modules: paths.length, violations };
}
