/** What the packages export is documented by programs that run, and each name comes from one place. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../packages.ts";
import { findSnippets } from "../snippets.ts";

const load = (file: string): Promise<object> => import(join(root, "packages", file)) as Promise<object>;
const millrace = await load("millrace/src/index.ts");
const core = await load("core/src/index.ts");
const node = await load("core/src/node/index.ts");
const adapter = await load("core/src/adapter/index.ts");
const postgres = await load("postgres/src/index.ts");
const mysql = await load("mysql/src/index.ts");
const otel = await load("otel/src/index.ts");
const testing = await load("core/src/testing/index.ts");

const programs = globSync(["README.md", "packages/*/README.md", "docs/*.md"], { cwd: root })
  .flatMap((page) => findSnippets(readFileSync(join(root, page), "utf8")))
  .filter(({ run }) => run)
  .map(({ code }) => code);

/** Every name that a program imports and uses, with where from. */
const imported = new Map<string, Set<string>>();
for (const code of programs) {
  for (const [statement, names, from] of code.matchAll(/^import \{([^}]*)\} from "([^"]+)";/gm)) {
    const rest = code.replaceAll(statement, "");
    for (const name of (names ?? "").split(",").map((part) => part.trim().replace(/^type /, ""))) {
      if (!new RegExp(`\\b${RegExp.escape(name)}\\b`).test(rest)) continue;
      imported.set(name, (imported.get(name) ?? new Set()).add(from ?? ""));
    }
  }
}

const entries = [
  ["millrace", Object.keys(millrace)],
  ["@millrace/core/adapter", Object.keys(adapter)],
  ["@millrace/core/testing", Object.keys(testing)],
  ["@millrace/postgres", Object.keys(postgres)],
  ["@millrace/mysql", Object.keys(mysql)],
  ["@millrace/otel", Object.keys(otel)],
] as const;

test.each(entries)("F32 everything that %s exports is used by a program of the documentation", (entry, names) => {
  expect(names.length).toBeGreaterThan(0);
  expect(names.filter((name) => imported.get(name)?.has(entry) !== true)).toEqual([]);
});

test("F32 a name is exported by one entry of a package, and documented under one path", () => {
  const all = [core, node, adapter, testing, postgres, mysql, otel].flatMap((entry) => Object.keys(entry));
  expect(all.filter((name, at) => all.indexOf(name) !== at)).toEqual([]);
  const ours = new Set([millrace, adapter, testing, postgres, mysql, otel].flatMap((entry) => Object.keys(entry)));
  const several = [...imported].filter(([name, from]) => ours.has(name) && from.size > 1);
  expect(several.map(([name]) => name)).toEqual([]);
});
