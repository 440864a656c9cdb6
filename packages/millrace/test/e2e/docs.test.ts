/** Every `console` block of the page about the command line, typed in by a test. */
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { app, paste } from "./cli.ts";

const root = fileURLToPath(new URL("../../../../", import.meta.url));
const page = readFileSync(join(root, "docs/command-line.md"), "utf8");

interface Typed {
  readonly command: string;
  readonly expected: string;
}

const blocks = (info: string): string[] =>
  [...page.matchAll(new RegExp(`^\`\`\`${info}\\n([^]*?)^\`\`\`$`, "gm"))].map((match) => match[1]!);

function typedIn(block: string): Typed[] {
  return block
    .split(/^\$ /m)
    .slice(1)
    .map((text) => {
      const [command = "", ...expected] = text.split("\n");
      return { command, expected: expected.join("\n") };
    });
}

/** A line of `…` alone stands for any lines. */
function pattern(expected: string): RegExp {
  const lines = expected.trimEnd().split("\n");
  const parts = lines.map((line) =>
    line === "…"
      ? "[^]*"
      : line
          .split("…")
          .map((part) => RegExp.escape(part))
          .join(".*"),
  );
  return new RegExp(`^${parts.join("\n")}\n?$`);
}

// More commands, one after the other, than any other test has.
test("what the page about the command line shows is what the commands print", { timeout: 300_000 }, async () => {
  // Where `millrace` is installed.
  const cwd = mkdtempSync(join(app, "docs-"));
  writeFileSync(join(cwd, "package.json"), '{ "type": "module" }');
  for (const file of ["flows", "next"]) writeFileSync(join(cwd, `${file}.ts`), blocks(`ts file=${file}.ts`)[0]!);
  const typed = blocks("console").flatMap(typedIn);
  expect(typed.length).toBeGreaterThan(15);
  for (const { command, expected } of typed) {
    expect(command).toMatch(/^millrace /);
    const { stdout } = await paste(`${command} 2>&1`, { cwd, env: { MILLRACE_DB: "runs.db" } });
    expect(stdout, command).toMatch(pattern(expected));
  }
});
