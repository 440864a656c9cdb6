/** The lint rules we lean on, broken once each: type-aware rules pass silently where no types are found. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");
const oxlint = join(root, "node_modules/.bin/oxlint");

function lint(files: Record<string, string>): string[] {
  const folder = mkdtempSync(join(tmpdir(), "millrace-lint-"));
  try {
    const tsconfig = { compilerOptions: { strict: true, target: "esnext", module: "nodenext" }, include: ["*.ts"] };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(tsconfig));
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    const args = ["--type-aware", "--deny-warnings", "-f", "json", "-c", join(root, ".oxlintrc.json"), folder];
    const { stdout, status } = spawnSync(oxlint, args, { cwd: folder, encoding: "utf8" });
    expect(status).toBe(1);
    const { diagnostics } = JSON.parse(stdout) as { diagnostics: { code: string }[] };
    return diagnostics.map(({ code }) => code).toSorted();
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const branches = Array.from({ length: 12 }, (_, i) => `  if (n === ${i}) return ${i};`).join("\n");
const lines = (count: number): string => "  n += 1;\n".repeat(count);

const broken: [rule: string, text: string][] = [
  ["typescript(no-floating-promises)", `export async function a(): Promise<void> {}\na();\n`],
  ["typescript(no-explicit-any)", `export const a = (x: any): unknown => x;\n`],
  ["eslint(complexity)", `export function a(n: number): number {\n${branches}\n  return -1;\n}\n`],
  ["eslint(max-lines-per-function)", `export function a(n: number): number {\n${lines(60)}  return n;\n}\n`],
  [
    "millrace(no-ref-in-condition)",
    `import { graph, type Ref } from "millrace";\nexport const a = graph("a", (i: Ref<{ x: string }>) => ({ x: i.x ? 1 : 2 }));\n`,
  ],
  ["eslint(max-lines)", `export let n = 0;\n${"n += 1;\n".repeat(300)}`],
];

test.each(broken)("lint reports %s", (rule, text) => {
  expect(lint({ "a.ts": text })).toEqual([rule]);
});

test("lint reports import(no-cycle)", () => {
  const files = {
    "a.ts": `import { b } from "./b.ts";\nexport const a = (): number => b();\n`,
    "b.ts": `import { a } from "./a.ts";\nexport const b = (): number => a();\n`,
  };
  expect(lint(files)).toEqual(["import(no-cycle)", "import(no-cycle)"]);
});
