import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { fixture, flows, hasStack, millrace, temporaryFolder } from "./cli.ts";

interface Mistake {
  readonly args: readonly string[];
  readonly exit: number;
  readonly says: readonly (string | RegExp)[];
  /** What stands in the folder the command is run in. */
  readonly files?: Readonly<Record<string, string>>;
}

const greet = ["run", `${flows}#greet`, "--db", "x.db"];

const usage: Readonly<Record<string, Mistake>> = {
  "no command": { args: [], exit: 2, says: ["Usage: millrace"] },
  "an unknown command": { args: ["rnu"], exit: 2, says: ["error: unknown command 'rnu'", "did you mean run?"] },
  "an unknown option": {
    args: ["runs", "--db", "x", "--jsn"],
    exit: 2,
    says: ["error: unknown option '--jsn'", "did you mean --json?"],
  },
  "no database": {
    args: ["run", `${flows}#greet`],
    exit: 2,
    says: ["error: required option '--db <file>' not specified"],
  },
  "a wrong status": {
    args: ["runs", "--db", "x", "--status", "done"],
    exit: 2,
    says: ['"done" is no status; there are queued, running'],
  },
  "a wrong limit": { args: ["runs", "--db", "x", "--limit", "0"], exit: 2, says: ["whole number from 1 on"] },
  "a wrong format": {
    args: ["graph", flows, "--format", "svg"],
    exit: 2,
    says: ["Allowed choices are mermaid, json"],
  },
};

const graphs: Readonly<Record<string, Mistake>> = {
  "an unknown file": {
    args: ["graph", fixture("flow.ts")],
    exit: 3,
    says: [/error: there is no file .*flow\.ts/, /hint: did you mean .*flows\.ts\?/],
  },
  "a file in an unknown folder": {
    args: ["graph", "no/flow.ts"],
    exit: 3,
    says: ["there is no file no/flow.ts", "the folder no does not exist either"],
  },
  "a folder": { args: ["graph", fixture("broken")], exit: 3, says: ["broken is not a file"] },
  "an unknown graph": {
    args: ["graph", `${flows}#gret`],
    exit: 3,
    says: ['exports no graph "gret"', /did you mean .*flows\.ts#greet\?/, "squares"],
  },
  "an op": {
    args: ["graph", `${fixture("only.ts")}#twice`],
    exit: 3,
    says: ['exports no graph "twice": twice is an op', "exportedName (named declaredName)"],
  },
  "several graphs and none named": {
    args: ["graph", flows],
    exit: 2,
    says: [/exports \d+ graphs: say which/, "flows.ts#greet"],
  },
  "a module without a graph": {
    args: ["graph", fixture("broken/no-graph.ts")],
    exit: 3,
    says: ["exports no graph", "export what graph(...) returns"],
  },
  "an empty graph name": {
    args: ["graph", `${flows}#`],
    exit: 2,
    says: ["does not name a graph", "flows/inbox.ts#inbox"],
  },
  "a graph that cannot be built": {
    args: ["graph", fixture("broken/not-built.ts")],
    exit: 1,
    says: [/a graph of \S+ cannot be built: /, /at \S*not-built\.ts:\d+:\d+/, "hint: "],
  },
};

const modules: Readonly<Record<string, Mistake>> = {
  "a module that throws": {
    files: {
      "throws.ts": "function need(name: string): string {\n  throw new TypeError(`no ${name}`);\n}\nneed('API_KEY');\n",
    },
    args: ["graph", "throws.ts"],
    exit: 1,
    says: ["error: throws.ts cannot be loaded: TypeError: no API_KEY", "  at throws.ts:2:9"],
  },
  "a module that throws no error": {
    files: { "throws.ts": "throw 'a word';\n" },
    args: ["graph", "throws.ts"],
    exit: 1,
    says: ["error: throws.ts cannot be loaded: it threw a word"],
  },
  "a syntax error": {
    files: { "syntax.mjs": "export const a = 1;\nexport const b = = 2;\n" },
    args: ["graph", "syntax.mjs"],
    exit: 1,
    says: ["syntax.mjs cannot be loaded: SyntaxError: Unexpected token '='", "  at syntax.mjs:2"],
  },
  "a syntax error in TypeScript": {
    files: { "syntax.ts": "export const a: number = 1;\nexport const b: = 2;\n" },
    args: ["graph", "syntax.ts"],
    exit: 1,
    says: ["syntax.ts cannot be loaded: SyntaxError", "  at syntax.ts:2"],
  },
  "TypeScript that cannot be stripped": {
    files: { "enum.ts": "export enum Colour { red }\n" },
    args: ["graph", "enum.ts"],
    exit: 1,
    says: ["enum.ts cannot be loaded: ", "types are stripped, not compiled"],
  },
  "a missing package": {
    files: { "needs.ts": 'import "a-package-that-is-not-installed";\n' },
    args: ["graph", "needs.ts"],
    exit: 1,
    says: ["a-package-that-is-not-installed", "install the package"],
  },
  "an import that is not there": {
    files: { "a.ts": 'import { two } from "./b.ts";\nconsole.log(two);\n', "b.ts": "export const one = 1;\n" },
    args: ["graph", "a.ts"],
    exit: 1,
    says: ["does not provide an export named 'two'", "  at a.ts:1"],
  },
  "a file that is no module": {
    files: { "notes.txt": "hello\n" },
    args: ["graph", "notes.txt"],
    exit: 1,
    says: [".txt is no module"],
  },
};

const inputs: Readonly<Record<string, Mistake>> = {
  "malformed input": {
    args: [...greet, "--input", '{"name": }'],
    exit: 2,
    says: ['not JSON: unexpected "}" at line 1, column 10', '  {"name": }\n           ^'],
  },
  "a malformed input file": {
    files: { "in.json": '{\n  "name": "a"\n  "more": 1\n}\n' },
    args: [...greet, "--input", "@in.json"],
    exit: 2,
    says: ["the input from in.json is not JSON: ", "at line 3, column 3"],
  },
  "a missing input file": {
    args: [...greet, "--input", "@none.json"],
    exit: 3,
    says: ["cannot read the input file none.json: there is no such file"],
  },
  "no standard input": {
    args: [...greet, "--input", "-"],
    exit: 2,
    says: ["the input from standard input is empty"],
  },
  "input that does not match the schema": {
    args: ["run", `${fixture("schema.ts")}#orders`, "--db", "x.db", "--input", '{"customer":7}'],
    exit: 2,
    says: [/customer.*expected a string/, /count.*expected a number/],
  },
  "a run id that is none": { args: [...greet, "--id", "a b"], exit: 2, says: ['"a b"'] },
  "a database in a folder that is not there": {
    args: ["run", `${flows}#greet`, "--db", "no/such/x.db"],
    exit: 3,
    says: ["the folder of the database no/such/x.db does not exist"],
  },
};

describe("a mistake is told in a sentence, with a hint and without a stack", () => {
  const all = Object.entries({ ...usage, ...graphs, ...modules, ...inputs });
  test.each(all)("%s", async (_, { args, exit, says, files = {} }) => {
    const cwd = temporaryFolder();
    for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
    const { code, stdout, stderr } = await millrace(args, { cwd });
    for (const text of says) expect(stderr).toMatch(typeof text === "string" ? new RegExp(RegExp.escape(text)) : text);
    expect(code).toBe(exit);
    expect(stdout).toBe("");
    expect(hasStack(stderr), stderr).toBe(false);
  });

  test("with --json the same stands on stdout for programs", async () => {
    const { code, stdout } = await millrace(["show", "x", "--db", "none.db", "--json"], { cwd: temporaryFolder() });
    expect(code).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({
      error: { code: "DatabaseNotFound", message: "there is no database none.db", exitCode: 3 },
    });
  });

  test("a stack is shown when MILLRACE_DEBUG asks for it", async () => {
    const { stderr } = await millrace(["graph", fixture("broken/not-built.ts")], { env: { MILLRACE_DEBUG: "1" } });
    expect(hasStack(stderr)).toBe(true);
  });
});

describe("run ids and graphs", () => {
  test("a run id that is taken is refused", async () => {
    const cwd = temporaryFolder();
    const args = (name: string): string[] => [
      "run",
      `${flows}#greet`,
      "--input",
      JSON.stringify({ name }),
      "--db",
      "runs.db",
      "--id",
      "mine",
    ];
    await millrace(args("a"), { cwd });
    const { code, stdout, stderr } = await millrace(args("b"), { cwd });
    expect(code).toBe(5);
    expect(stderr).toContain("mine");
    expect(stdout).toBe("");
  });

  test("R27 a changed graph is refused with both fingerprints and the flag that allows it", async () => {
    const cwd = temporaryFolder();
    const ledger = join(cwd, "ledger");
    const input = JSON.stringify({ xs: [1, 2, 3, 4, 5, 6], ledger, ms: 60 });
    const { start, linesOf, until } = await import("./cli.ts");
    const running = start(["run", `${flows}#squares`, "--input", input, "--db", "runs.db", "--id", "old"], { cwd });
    await until(() => linesOf(ledger).length >= 2, running);
    running.child.kill("SIGINT");
    expect((await running.finished).code).toBe(6);

    const fingerprint = async (file: string): Promise<string> =>
      (JSON.parse((await millrace(["graph", `${file}#squares`, "--format", "json"])).stdout) as { fingerprint: string })
        .fingerprint;
    const both = await Promise.all([fingerprint(flows), fingerprint(fixture("changed.ts"))]);
    const resume = ["resume", "old", "--graph", `${fixture("changed.ts")}#squares`, "--db", "runs.db"];
    const refused = await millrace(resume, { cwd });
    expect(refused.code).toBe(5);
    for (const one of both) expect(refused.stderr).toContain(one);
    expect(refused.stderr).toContain("--allow-graph-change");

    const allowed = await millrace([...resume, "--allow-graph-change"], { cwd });
    expect(allowed.code).toBe(0);
    expect(JSON.parse(allowed.stdout)).toEqual({ ys: [1, 4, 9, 16, 25, 36], sum: 91 });
  });

  test("a run of another graph is refused by name", async () => {
    const cwd = temporaryFolder();
    await millrace(["run", `${flows}#greet`, "--input", '{"name":"a"}', "--db", "runs.db", "--id", "mine"], { cwd });
    const { code, stderr } = await millrace(["resume", "mine", "--graph", `${flows}#squares`, "--db", "runs.db"], {
      cwd,
    });
    expect(code).toBe(5);
    expect(stderr).toContain("run mine is of the graph greet, not of squares");
  });
});
