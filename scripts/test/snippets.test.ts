import { expect, test } from "vitest";
import { findSnippets, matchesOutput } from "../snippets.ts";

const page = `# Page

\`\`\`ts
console.log(1);
\`\`\`

\`\`\`text
1
\`\`\`

\`\`\`sh
npm test
\`\`\`

\`\`\`ts file=mill.ts no-run
export const a = 1;
\`\`\`

Not its output:

\`\`\`text
2
\`\`\`
`;

test("TypeScript blocks are found with their line, name, flag and the output right after them", () => {
  expect(findSnippets(page)).toEqual([
    { line: 3, code: "console.log(1);\n", file: undefined, run: true, expected: "1\n" },
    { line: 15, code: "export const a = 1;\n", file: "mill.ts", run: false, expected: undefined },
  ]);
});

test("output must match whole, and an ellipsis stands for any text within its line", () => {
  expect(matchesOutput("a\nb\n", "a\nb")).toBe(true);
  expect(matchesOutput("a\nb\nc\n", "a\nb")).toBe(false);
  expect(matchesOutput("run 01a9 took 3 ms\n", "run … took … ms")).toBe(true);
  expect(matchesOutput("run 1\nrun 2\n", "run …")).toBe(false);
  expect(matchesOutput("a.c", "abc")).toBe(false);
});
