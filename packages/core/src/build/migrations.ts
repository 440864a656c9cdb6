/** Checks what a graph says about runs of its earlier versions, as far as that can be told without one. */
import { buildError, type MillraceError } from "../base/error.ts";
import { nearest } from "../base/name.ts";
import type { MigrationPlan } from "../model/migration.ts";
import { INPUT_NAME } from "./names.ts";
import { checkKeys } from "./options.ts";

/** The graph that has the map. */
interface Target {
  readonly graph: string;
  readonly fingerprint: string;
  /** Of its named slots. */
  readonly names: readonly string[];
}

const keys = ["from", "rename", "remove", "inputs"];
const fingerprintShape = /^sha256:[0-9a-f]{64}$/;

export function migrationsOf(target: Target, given: unknown): MigrationPlan[] {
  if (given === undefined) return [];
  if (!Array.isArray(given))
    throw wrong(target, `is ${kindOf(given)}`, 'it is a list: migrate: [{ from: "sha256:…", rename: { old: "new" } }]');
  const migrations = given.map((migration: unknown) => migrationOf(target, migration as object));
  const seen = new Set<string>();
  for (const { from } of migrations) {
    if (seen.has(from)) throw wrong(target, `has two maps from ${from}`, "write one map for each earlier version");
    seen.add(from);
  }
  return migrations;
}

function migrationOf(target: Target, given: object): MigrationPlan {
  checkKeys(`migrate of graph ${target.graph}`, given, keys);
  const { from, rename, remove, inputs } = given as Record<string, unknown>;
  const migration = Object.freeze({
    from: fromOf(target, from),
    rename: textsOf(target, "rename", rename),
    remove: removedOf(target, remove),
    inputs: textsOf(target, "inputs", inputs),
  });
  checkNames(target, migration);
  return migration;
}

function fromOf(target: Target, from: unknown): string {
  if (typeof from !== "string" || !fingerprintShape.test(from))
    throw wrong(
      target,
      `has ${JSON.stringify(from)} in from`,
      "from is the fingerprint of the earlier version, sha256: and 64 hex digits; engine.get(id) tells that of a run",
    );
  if (from === target.fingerprint)
    throw wrong(target, "maps from the graph's own fingerprint", "from names an earlier version; take this map out");
  return from;
}

/** A record of texts by texts, no two of them the same. */
function textsOf(target: Target, key: string, given: unknown): Readonly<Record<string, string>> {
  if (given === undefined) return Object.freeze({});
  if (typeof given !== "object" || given === null || Array.isArray(given))
    throw wrong(target, `has ${kindOf(given)} in ${key}`, `it is a record: ${key}: { old: "new" }`);
  const olds = new Map<string, string>();
  for (const [old, now] of Object.entries(given)) {
    if (old === "" || typeof now !== "string" || now === "")
      throw wrong(target, `has ${JSON.stringify(now)} for "${old}" in ${key}`, `write names: ${key}: { old: "new" }`);
    const other = olds.get(now);
    if (other !== undefined)
      throw wrong(
        target,
        `maps both "${other}" and "${old}" to "${now}"`,
        "give each a name of its own, or remove one",
      );
    olds.set(now, old);
  }
  return Object.freeze(Object.fromEntries(Array.from(olds, ([now, old]) => [old, now])));
}

function removedOf(target: Target, given: unknown): readonly string[] {
  if (given === undefined) return Object.freeze([]);
  const isList = Array.isArray(given) && given.every((name) => typeof name === "string" && name !== "");
  if (!isList) throw wrong(target, `has ${kindOf(given)} in remove`, 'it is a list of names: remove: ["audit"]');
  return Object.freeze([...new Set(given as readonly string[])]);
}

function checkNames(target: Target, { rename, remove }: MigrationPlan): void {
  for (const name of [...Object.keys(rename), ...Object.values(rename), ...remove])
    if (name === INPUT_NAME)
      throw wrong(
        target,
        `renames or removes "${INPUT_NAME}"`,
        'keys of the input are renamed by inputs: { old: "new" }',
      );
  for (const name of remove)
    if (Object.hasOwn(rename, name))
      throw wrong(target, `both renames and removes "${name}"`, "a node goes on under another name, or it is gone");
  for (const [old, now] of Object.entries(rename)) {
    if (target.names.some((name) => name === now || name.startsWith(`${now}/`))) continue;
    const close = nearest(now, target.names);
    throw wrong(
      target,
      `maps "${old}" to "${now}", which the graph does not have`,
      close === undefined ? `it has ${target.names.join(", ")}` : `did you mean "${close}"?`,
    );
  }
}

function wrong({ graph }: Target, what: string, hint: string): MillraceError {
  return buildError(`migrate of graph ${graph} ${what}`, hint);
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "a list" : typeof value;
}
