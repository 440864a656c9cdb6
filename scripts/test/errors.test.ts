/** Errors are written once: what is raised is what the Markdown explains, and what is generated from it is up to date. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { generate, readFolder } from "../messages/files.ts";
import { parseArea, refuseDuplicates, valuesOf } from "../messages/parse.ts";
import { renderModule, renderPage } from "../messages/render.ts";
import { root } from "../packages.ts";

/** Every text in quotes. */
function quotedIn(folder: string): Set<string> {
  const found = new Set<string>();
  for (const file of readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })) {
    if (!file.endsWith(".ts") || file.endsWith(".generated.ts")) continue;
    const text = readFileSync(join(root, folder, file), "utf8");
    // The test kit names many that it does not raise.
    const raised = file.startsWith("testing") ? /\berrorOf\("([A-Z][A-Za-z.]+)"/g : /"([A-Z][A-Za-z.]+)"/g;
    for (const [, quoted] of text.matchAll(raised)) found.add(quoted as string);
  }
  return found;
}

/** Where the messages of core are raised. */
const backends = ["packages/core/src", "packages/postgres/src", "packages/mysql/src"];
const core = [...readFolder("packages/core/messages").values()].flatMap((area) => area.entries);
const cli = [...readFolder("packages/millrace/messages").values()].flatMap((area) => area.entries);

describe("what stands in the Markdown", () => {
  test("is raised somewhere: codes, reasons and messages", () => {
    const used = new Set(backends.flatMap((folder) => [...quotedIn(folder)]));
    const isUsed = (code: string): boolean => used.has(code) || [...used].some((name) => name.startsWith(`${code}.`));
    const codes = core.flatMap((entry) => [entry, ...entry.reasons]).map(({ code }) => code);
    expect(codes.length).toBeGreaterThan(80);
    expect(codes.filter((code) => !isUsed(code))).toEqual([]);
    const messages = core.flatMap((entry) => entry.messages).map(({ name }) => name);
    expect(messages.filter((name) => !used.has(name))).toEqual([]);
  });

  test("explains every code that the command line raises itself, and no other", () => {
    const raised = new Set<string>();
    const folder = join(root, "packages/millrace/src");
    for (const file of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
      const text = file.endsWith(".ts") ? readFileSync(join(folder, file), "utf8") : "";
      for (const [, code] of text.matchAll(/(?:new CliFailure\(\s*(?:\w+ \? )?|\bcode: )"([A-Z][A-Za-z]+)"/g))
        raised.add(code as string);
    }
    const explained = new Set([...core, ...cli].map(({ code }) => code));
    expect([...raised].filter((code) => !explained.has(code))).toEqual([]);
    const used = quotedIn("packages/millrace/src");
    expect(cli.map(({ code }) => code).filter((code) => !used.has(code))).toEqual([]);
  });

  test("stands in messages as people read it: braces that are no placeholder are not escaped there", () => {
    const texts = [...core, ...cli].flatMap((entry) => entry.messages.map((message) => JSON.stringify(message)));
    expect(texts.length).toBeGreaterThan(80);
    expect(texts.filter((text) => /\\\\[{}]/.test(text))).toEqual([]);
  });

  test("is what was generated: else run npm run messages", () => {
    for (const { path, text } of generate()) expect(readFileSync(join(root, path), "utf8"), path).toBe(text);
  });
});

const drained = `# Ends

## RunDrained

> run {runId} was drained

> **stale:** this handle is of a run that was drained
> hint: engine.cancel("{runId}") ends it

> **late:** too late
> no hint

It was drained.

**Fix:** resume it.

## BuildError

It cannot be built.

### DuplicateName

Two have one name.
`;

describe("a file of errors", () => {
  test("has messages that tell the fix, another hint or none, and name their values", () => {
    const { title, entries } = parseArea("ends.md", drained);
    expect(title).toBe("Ends");
    const [first, second] = entries;
    expect(first!.messages.map(({ name, hint }) => [name, hint])).toEqual([
      ["RunDrained", "resume it"],
      ["RunDrained.stale", 'engine.cancel("{runId}") ends it'],
      ["RunDrained.late", undefined],
    ]);
    expect(first!.messages.map(valuesOf)).toEqual([["runId"], ["runId"], []]);
    expect(second!.reasons.map(({ code }) => code)).toEqual(["DuplicateName"]);
  });

  test("becomes a module with types and a page with anchors", () => {
    const area = parseArea("ends.md", drained);
    const module = renderModule({ errors: [area], findings: { title: "Findings", entries: [] } });
    expect(module).toContain('export type ErrorCode =\n  | "BuildError"\n  | "RunDrained";');
    expect(module).toContain('export type BuildReason =\n  | "DuplicateName";');
    expect(module).toContain('  readonly "RunDrained.late": never;');
    expect(module).toContain('  RunDrained: {"text":"run {runId} was drained","hint":"resume it"},');
    const page = renderPage([area]);
    expect(page).toContain("### RunDrained\n\n> run {runId} was drained\n");
    expect(page).toContain("It was drained.\n\n**Fix:** resume it.\n");
    expect(page).toContain("#### DuplicateName\n");
  });

  test.each([
    ["a code that is there twice", drained.replace("BuildError", "RunDrained"), "RunDrained is there twice"],
    ["a reason that is a code", drained.replace("DuplicateName", "RunDrained"), "RunDrained is there twice"],
    ["a message that is there twice", drained.replace("late:", "stale:"), "message RunDrained.stale is there twice"],
    ["no cause", drained.replace("It was drained.", ""), "RunDrained does not say what causes it"],
    ["neither hint nor fix", drained.replace("**Fix:** resume it.", ""), "has neither a hint nor a fix"],
    ["a hint that is none", drained.replace("> no hint", "> no hnit"), '"no hnit" is neither'],
    ["an odd placeholder", drained.replace("run {runId}", "run {run_id}"), "the odd {run_id}"],
    ["a heading that is no code", drained.replace("BuildError", "Build error"), "Build error is no code"],
    ["no area", drained.replace("# Ends", ""), 'does not begin with "# area"'],
  ])("is refused with %s", (_, markdown, message) => {
    expect(() => refuseDuplicates([parseArea("ends.md", markdown)])).toThrow(message);
  });
});
