/** Every code that the source can raise is explained in docs/errors.md, and nothing else is. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../packages.ts";

const source = join(root, "packages/core/src");
const raised = new Set<string>();
for (const file of readdirSync(source, { recursive: true, encoding: "utf8" })) {
  if (!file.endsWith(".ts") || file.startsWith("testing")) continue;
  const text = readFileSync(join(source, file), "utf8");
  for (const [, code] of text.matchAll(/(?:new MillraceError|super|thrownFailure)\([^"()]*"([A-Z][A-Za-z]+)"/g))
    raised.add(code as string);
  for (const [, code] of text.matchAll(/\bcode: (?:\w+ \? )?"([A-Z][A-Za-z]+)"/g)) raised.add(code as string);
}
const documented = new Set(
  [...readFileSync(join(root, "docs/errors.md"), "utf8").matchAll(/^### (\w+)$/gm)].map(([, code]) => code as string),
);

test("every error code of the source stands in docs/errors.md", () => {
  expect(raised.size).toBeGreaterThan(30);
  expect([...raised].filter((code) => !documented.has(code))).toEqual([]);
});
