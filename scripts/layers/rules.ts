/** The rules, each by the name that violations and fixtures use. */
import { builtinModules } from "node:module";
import { posix } from "node:path";
import { COMPUTED, type Mention, type SourceModule } from "./source-module.ts";
import { asyncGlobals, dumpNames, entries, impureGlobals, impureMembers, layers, type Layer } from "./table.ts";

export type Rule =
  | "unknown-layer"
  | "layer-import"
  | "entry-import"
  | "outside-import"
  | "node-import"
  | "impure-global"
  | "async-in-pure-layer"
  | "barrel"
  | "dump-name"
  | "public-entry";

export interface Violation {
  readonly rule: Rule;
  readonly path: string;
  readonly line: number;
  readonly message: string;
}

type Report = (rule: Rule, line: number, message: string) => void;

/** Violations of one module of `packages/core/src`. */
export function checkCoreModule(module: SourceModule): Violation[] {
  const folder = folderOf(module.path);
  const layer = layers[folder];
  const entry = entries[module.path];
  if (!layer && !entry) {
    return [{ rule: "unknown-layer", path: module.path, line: 1, message: `"${folder}" is not in the layer table` }];
  }
  const violations: Violation[] = [];
  const report: Report = (rule, line, message) => violations.push({ rule, path: module.path, line, message });
  checkName(module.path, report);
  if (module.isBarrel && !entry) report("barrel", 1, "only re-exports: import the files themselves");
  for (const mention of module.imports) checkImport(module.path, mention, report);
  for (const mention of module.uses) checkUse(layer, mention, report);
  return violations;
}

function checkImport(from: string, { name, line }: Mention, report: Report): void {
  const layer = layers[folderOf(from)];
  if (isNode(name)) {
    if (layer?.host !== true) report("node-import", line, `${name}: only adapter/, node/ and testing/ may import Node`);
    return;
  }
  // What is loaded is the user's own, by an address that the user gave: only where there are files.
  if (name === COMPUTED && layer?.host === true) return;
  const target = posix.join(posix.dirname(from), name);
  if (!name.startsWith(".") || target.startsWith("..")) {
    report("outside-import", line, `${name}: core imports nothing but its own files`);
  } else if (target in entries) {
    report("entry-import", line, `${name}: an entry is for the outside, import the file itself`);
  } else if (!allowedFrom(from).some((allowed) => allowed === folderOf(target) || allowed === target)) {
    report("layer-import", line, `${folderOf(from)} may not import ${folderOf(target)} (${name})`);
  }
}

function allowedFrom(from: string): readonly string[] {
  const folder = folderOf(from);
  return entries[from] ?? [folder, ...(layers[folder]?.mayImport ?? [])];
}

function checkUse(layer: Layer | undefined, { name, line }: Mention, report: Report): void {
  if (isImpure(name) && !layer?.host && !layer?.systemPorts) {
    report("impure-global", line, `${name}: take time, chance and timers from a port`);
  }
  if (isAsync(name) && layer?.pure) {
    report("async-in-pure-layer", line, `${name}: this layer is synchronous and deterministic`);
  }
}

function isImpure(name: string): boolean {
  return impureGlobals.includes(name) || impureMembers.includes(name) || name === "Date()" || name === "new Date()";
}

function isAsync(name: string): boolean {
  return asyncGlobals.includes(name) || name === "async" || name === "await";
}

function checkName(path: string, report: Report): void {
  const name = posix.basename(path, ".ts");
  if (dumpNames.includes(name)) report("dump-name", 1, `"${name}.ts" says nothing: name the one noun it holds`);
}

/** Violations of one module outside core: the workspace is reached through package names, never through its files. */
export function checkConsumerModule(module: SourceModule, mayImport: readonly string[]): Violation[] {
  const violations: Violation[] = [];
  const report: Report = (rule, line, message) => violations.push({ rule, path: module.path, line, message });
  checkName(module.path, report);
  for (const { name, line } of module.imports) {
    const leaves = name.startsWith(".") && posix.join(posix.dirname(module.path), name).startsWith("..");
    const isForeign = !name.startsWith(".") && name !== COMPUTED && !isNode(name) && !mayImport.includes(name);
    const isOurs = /^(@millrace\/|millrace(\/|$))/.test(name);
    if (leaves || (isForeign && isOurs)) report("public-entry", line, `${name}: import from ${mayImport.join(", ")}`);
    else if (isForeign) report("outside-import", line, `${name}: a package of others, which the table does not name`);
  }
  return violations;
}

function isNode(specifier: string): boolean {
  return specifier.startsWith("node:") || builtinModules.includes(specifier);
}

/** `scheduler/lanes/fifo.ts` lives in `scheduler`; `index.ts` in none. */
function folderOf(path: string): string {
  return path.includes("/") ? path.slice(0, path.indexOf("/")) : "";
}
