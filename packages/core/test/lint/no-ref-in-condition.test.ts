/** The rule as its users run it: by oxlint and by ESLint, over the same programs, each line with what it must be told. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ESLint, Linter } from "eslint";
import { describe, expect, test } from "vitest";
import * as core from "../../src/index.ts";
import lintPlugin from "../../src/lint/index.ts";

const root = join(import.meta.dirname, "../../../..");
const ruleName = "millrace/no-ref-in-condition";

/** A found mistake: line, kind of mistake. */
type Found = readonly [line: number, kind: string];

function oxlint(file: string, code: string, options: object): Found[] {
  const folder = mkdtempSync(join(tmpdir(), "millrace-rule-"));
  try {
    const config = {
      jsPlugins: [join(root, "packages/core/src/lint/index.ts")],
      categories: { correctness: "off" },
      rules: { [ruleName]: ["error", options] },
    };
    writeFileSync(join(folder, ".oxlintrc.json"), JSON.stringify(config));
    writeFileSync(join(folder, file), code);
    const { stdout, stderr } = spawnSync(join(root, "node_modules/.bin/oxlint"), ["-f", "json", "."], {
      cwd: folder,
      encoding: "utf8",
    });
    expect(stderr).toBe("");
    const { diagnostics } = JSON.parse(stdout) as {
      diagnostics: { code: string; message: string; labels: { span: { line: number } }[] }[];
    };
    return diagnostics
      .map(({ code, message, labels }): Found => {
        expect(code).toBe("millrace(no-ref-in-condition)");
        return [labels[0]!.span.line, kindOf(message)];
      })
      .toSorted(byLine);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function eslint(code: string, options: object): Found[] {
  // Assigning it proves that the plugin has the type which ESLint's configuration asks for.
  const millrace: ESLint.Plugin = lintPlugin;
  const problems = new Linter().verify(code, [{ plugins: { millrace }, rules: { [ruleName]: ["error", options] } }]);
  return problems.map(({ line, message }): Found => [line, kindOf(message)]).toSorted(byLine);
}

const byLine = (a: Found, b: Found): number => a[0] - b[0];

function kindOf(message: string): string {
  const { messages } = lintPlugin.rules["no-ref-in-condition"].meta;
  const kind = Object.keys(messages).find((id) => {
    const parts = messages[id]!.split("{{ref}}").map((part) => RegExp.escape(part));
    return new RegExp(`^${parts.join("(.+)")}$`).test(message);
  });
  return kind ?? message;
}

/** Lines end with `// kind` where something is to be found. */
function expected(code: string): Found[] {
  return code.split("\n").flatMap((text, at): Found[] => {
    const kind = /\/\/ (\w+)$/.exec(text)?.[1];
    return kind === undefined ? [] : [[at + 1, kind]];
  });
}

const head = `import { collect, derive, each, fallback, given, graph, loop, match, onEnd, op, orElse, prompt, race, read, reduce, text, when, zip } from "millrace";
import { judge } from "./ops.js";
import * as ops from "./ops.js";
const fetchPage = op("fetchPage", async ({ url }) => ({ html: url }));
const ask = prompt("Who is {who}?");
const sub = graph("sub", (input) => fetchPage({ url: input.url }));
`;
const body = (lines: string): string => `${head}export const g = graph("g", (input) => {\n${lines}\n});\n`;

const forms = body(`
  if (input.deep) fetchPage({ url: input.a }); // truth
  if (process.env.X && input.deep) fetchPage({ url: input.a }); // truth
  if (!input.deep) fetchPage({ url: input.a }); // not
  if (!(process.env.X || input.deep)) fetchPage({ url: input.a }); // truth
  const a = input.deep ? 1 : 2; // truth
  const b = input.deep && fetchPage({ url: input.b }); // truth
  const c = input.url || "none"; // default
  const d = input.url ?? "none"; // default
  const e = (process.env.X && input.url) || "none"; // truth
  let f = fetchPage({ url: "u" });
  f ??= sub({ url: "u" }); // default
  f ||= sub({ url: "u" }); // default
  f &&= sub({ url: "u" }); // truth
  while (input.more) break; // truth
  do break; while (input.more); // truth
  for (; input.more; ) break; // truth
  if (input.kind === "x") fetchPage({ url: input.a }); // equal
  if (undefined == input.kind) fetchPage({ url: input.a }); // equal
  if (input.kind !== input.other) fetchPage({ url: input.a }); // equal
  switch (input.kind) { // switch
    case "x":
  }
  const h = input.maybe?.x; // optional
  const i = Boolean(input.deep); // truth
  return { a, b, c, d, e, f, h, i };`);

const sources = body(`
  const { url, nested: { deep: renamed }, list = [] } = input;
  if (url) return {}; // truth
  if (renamed) return {}; // truth
  if (list.length) return {}; // truth
  if (fetchPage({ url }).html) return {}; // truth
  if (sub({ url: "constant" })) return {}; // truth
  if (judge({ text: url }).score) return {}; // truth
  if (ops.judge({ in: { text: url } }).score) return {}; // truth
  if (ask({ who: url })) return {}; // truth
  if (each(input.xs)) return {}; // truth
  if (collect(each(input.xs)).length) return {}; // truth
  if (text\`\${url}\`) return {}; // truth
  const record = { url, plain: 1 };
  if (record.url) return {}; // truth
  const some = process.env.X ? url : renamed;
  if (some) return {}; // truth
  let last = url;
  last = fetchPage({ url: last }).html;
  if (last) return {}; // truth
  given("given", url, (value) => (value ? 1 : 2)); // truth
  match("match", input.step, "type", { tool: (call) => ({ x: call.x || 1 }) }); // default
  loop("loop", { max: 3 }, { n: 0 }, (state) => ({ next: { n: state.n }, until: state.n === 3 })); // equal
  fallback("fallback", () => sub({ url }), (error) => ({ m: error.message ?? "" })); // default
  onEnd("end", (end) => (end.status ? sub({ url: "u" }) : undefined)); // truth
  when("when", input.deep, () => (url ? 1 : 2)); // truth
  race("race", { a: () => (url ? 1 : 2) }); // truth
  const titled = (page) => text\`\${page}\`;
  const fetched = (u) => fetchPage({ url: titled(u) }).html;
  if (fetched("u")) return {}; // truth
  return {};`);

const silent = body(`
  const flag = process.env.X;
  if (flag) fetchPage({ url: input.url });
  const counted = derive(input.xs, (xs) => (xs.length > 0 && xs[0] === "x" ? !xs[1] : (xs[2] ?? "none")));
  const sum = reduce("sum", each(input.xs), 0, (all, x) => (x ? all + 1 : all));
  const a = when("when", input.deep, () => input.a, () => input.b);
  const record = { url: input.url, plain: flag };
  if (record.plain) return {};
  let last;
  for (const name of ["a", "b"]) last = last === undefined ? fetchPage({ url: input.url }, { name }) : last;
  if (last) return {};
  const list = ["a", "b"].map((name) => fetchPage({ url: input.url }, { name }));
  if (list.length > 1 && flag !== undefined) return {};
  const { html } = { html: flag };
  if (html || judge(flag) || ops.count === 2) return {};
  const g = (input) => (input ? 1 : 2);
  const again = (n) => (n > 0 ? again(n - 1) : input.a);
  const counted2 = (n) => n + 1;
  const some = (n) => { if (n) return 1; return input.a; };
  if (again(3) || counted2(1) || some(1)) return {};
  return { a, counted, sum, n: g(flag), o: orElse(input.a, 1) };`);

const noMillrace = `import { graph } from "another";
export const g = graph("g", (input) => { if (input) return 1; return 2; });
export const fetchPage = op("x"); if (fetchPage({})) console.log(1);
`;

const renamed = `import { graph as flow } from "millrace";
import * as m from "@millrace/core";
export const a = flow("a", (input) => ({ x: input.x || 1 })); // default
export const b = m.graph("b", (input) => ({ x: m.each(input.x) ? 1 : 2 })); // truth
`;

const programs: Readonly<Record<string, string>> = { forms, sources, silent, noMillrace, renamed };

describe.each(["oxlint", "eslint"])("no-ref-in-condition in %s", (linter) => {
  const run = (code: string, options: object = {}): Found[] =>
    linter === "oxlint" ? oxlint("a.js", code, options) : eslint(code, options);

  test.each(Object.keys(programs))("finds what is marked in a program, and nothing else: %s", (name) => {
    const code = programs[name]!;
    expect(run(code)).toEqual(expected(code));
  });

  test("knows modules of its options as Millrace", () => {
    const code = `import { graph } from "./mill.js";\nexport const g = graph("g", (x) => (x ? 1 : 2)); // truth\n`;
    expect(run(code)).toEqual([]);
    expect(run(code, { modules: ["./mill.js"] })).toEqual(expected(code));
  });
});

test("the marked programs hold every kind of mistake that there is a message for", () => {
  const kinds = new Set(expected(forms).map(([, kind]) => kind));
  expect([...kinds].toSorted()).toEqual(Object.keys(lintPlugin.rules["no-ref-in-condition"].meta.messages).toSorted());
});

test("oxlint finds what the types of a function call refs, through assertions", () => {
  const code = `import { type Ref, type RefOf, graph } from "millrace";
interface Other<T> { t: T }
export const a = (x: Ref<string>) => (x ? 1 : 2); // truth
export const b = (x: RefOf<string>) => x ?? 1; // default
export const c = (x: Ref<string> | undefined) => (x ? 1 : 2);
export const d = (x: Other<string>) => (x ? 1 : 2);
export const given = (x?: Ref<string>) => (x === undefined ? 1 : (x ?? 2));
export function asked(x?: RefOf<string>) { return x ? 1 : 2; }
export const always = (x: Ref<string>, y?: Ref<string>) => [y && 1, x && 1]; // truth
export const e = graph("e", (input: Ref<{ x: string }>) => ({ x: (input.x as unknown as string)! || 1 })); // default
`;
  expect(oxlint("a.ts", code, {})).toEqual(expected(code));
});

test("every function of Millrace that returns a ref is known to the rule", () => {
  // What is exported and does not.
  const others = [
    "END",
    "START",
    "stateGraph",
    "superstepOf inlineTasks oneAtATime tasksByName requestOf taskRunner",
    "threadsOf",
    "workflow CallError",
    "allRuns checkAgainst checkRuns compareRuns exportRuns importRuns openQuestions",
    "WrappedBackend endedStatuses fenceStep holdBackMs longLifeMs noteWakes",
    "secret secretRef isSecretRef redacted",
    "openEngine provide memory memoryCache memoryTraces currentRun MillraceError",
    "memoryStore storeOps storeOver",
    "op graph prompt onEnd cell overwrite resource callerContext",
    "add append last max merge messagesById min orderedBy",
  ].flatMap((list) => list.split(" "));
  const names = Object.keys(core).filter((name) => !others.includes(name));
  const lines = names.map((name) => `if (m.${name}${name === "text" ? "``" : "()"}) {} // truth`);
  const code = ['import * as m from "millrace";', ...lines].join("\n");
  expect(eslint(code, {})).toEqual(expected(code));
});
