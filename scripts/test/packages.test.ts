/** What users get: the staged packages as `npm pack` would ship them, and an installed copy of them that runs. */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { beforeAll, expect, test, vi } from "vitest";
import { install } from "../build/install.ts";
import { publishables, readManifest, root } from "../packages.ts";

// Builds, compilers and linters, on machines that do other things too.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

/** `npm test` has built them just before. */
beforeAll(() => {
  if (process.env["MILLRACE_BUILT"] === undefined)
    execFileSync(process.execPath, [join(root, "scripts/build.ts")], { stdio: "pipe" });
});

const [core] = publishables as [(typeof publishables)[0]];

test.each(publishables)("$name ships only dist, package.json, README and LICENSE", ({ staged }) => {
  const [packed] = JSON.parse(
    execFileSync("npm", ["pack", "--dry-run", "--json"], { cwd: staged, encoding: "utf8" }),
  ) as [{ files: { path: string }[] }];
  const paths = packed.files.map(({ path }) => path);
  const roots = new Set(paths.map((path) => path.split("/")[0]!));
  expect([...roots].toSorted()).toEqual(["LICENSE", "README.md", "dist", "package.json"]);
  expect(paths.filter((path) => path.startsWith("dist/") && !/\.(js|d\.ts)$/.test(path))).toEqual([]);
});

test("the published manifests point to dist, and nothing in them to the workspace", () => {
  for (const { staged } of publishables) {
    const { exports, publishConfig, ...manifest } = readManifest(staged);
    expect(Object.values(exports).filter((path) => !/^\.\/(dist\/.*\.js|package\.json)$/.test(path))).toEqual([]);
    expect(publishConfig).toEqual({ access: "public" });
    expect(Object.keys(manifest)).not.toContain("devDependencies");
    expect(JSON.stringify(manifest)).not.toMatch(/\/src\/|\.ts"|"(file|workspace):/);
  }
});

test("@millrace/core has no dependencies at run time", () => {
  const manifest = readManifest(core.staged);
  expect(Object.keys(manifest).filter((key) => /dependencies/i.test(key))).toEqual([]);
});

test("everything the default entry of @millrace/core reaches is free of node:*", () => {
  const reached = reach(join(core.staged, "dist/index.js"));
  expect(reached.files.size).toBeGreaterThan(1);
  expect([...reached.outside]).toEqual([]);
});

/** Follows relative imports; `outside` collects every other specifier. */
function reach(entry: string): { files: Set<string>; outside: Set<string> } {
  const files = new Set([entry]);
  const outside = new Set<string>();
  for (const file of files) {
    const text = readFileSync(file, "utf8");
    for (const [, specifier] of text.matchAll(/(?:(?<!["'.])\bfrom\s*|\bimport\s*\(?\s*)["']([^"']+)["']/g)) {
      if (specifier!.startsWith(".")) files.add(join(dirname(file), specifier!));
      else outside.add(specifier!);
    }
  }
  return { files, outside };
}

test("every file that a packed module starts by its path is packed", () => {
  const started = globSync(join(root, ".build/packages/*/dist/**/*.js")).flatMap(startedBy);
  expect(started.length).toBeGreaterThan(5);
  expect(started.filter((path) => !existsSync(path))).toEqual([]);
});

function startedBy(file: string): string[] {
  const code = readFileSync(file, "utf8").replaceAll(/^\s*\*.*$/gm, "");
  const paths = [...code.matchAll(/new URL\([^;]*?, import\.meta\.url\)/g)].flatMap(([url]) =>
    [...url.matchAll(/"(\.{1,2}\/[^"]*)"/g)].map(([, path]) => path!),
  );
  // What messages advise to write.
  return paths.filter((path) => !path.startsWith("./ops.ts")).map((path) => join(dirname(file), path));
}

/** In an application that has the packed packages installed. */
function installed(use: (app: string) => void): void {
  const app = mkdtempSync(join(tmpdir(), "millrace-app-"));
  try {
    install(app);
    use(app);
  } finally {
    rmSync(app, { recursive: true });
  }
}

test("an installed copy can be imported, and its command line starts", () => {
  installed((app) => {
    const source = `import * as a from "millrace"; import * as b from "@millrace/core/testing"; import "@millrace/core/node"; import "@millrace/postgres"; import "@millrace/mysql"; import "@millrace/otel";
      process.stdout.write(String(Object.keys(a).length > 0 && Object.keys(b).length > 0));`;
    const imported = run(app, [process.execPath, "--input-type=module", "-e", source]);
    expect(imported).toEqual({ status: 0, stdout: "true", stderr: "" });
    const help = run(app, [process.execPath, "node_modules/millrace/dist/cli/main.js", "--help"]);
    expect(help).toMatchObject({ status: 0, stderr: "" });
    expect(help.stdout).toContain("millrace");
  });
});

test("oxlint takes the rules of an installed copy by the name of their entry", () => {
  installed((app) => {
    const config = { jsPlugins: ["millrace/lint"], rules: { "millrace/no-ref-in-condition": "error" } };
    writeFileSync(join(app, ".oxlintrc.json"), JSON.stringify(config));
    const code = `import { graph } from "millrace";\nexport const a = graph("a", (input) => ({ x: input.x ?? 1 }));\n`;
    writeFileSync(join(app, "a.ts"), code);
    const { status, stdout } = run(app, [join(root, "node_modules/.bin/oxlint"), "-f", "unix", "a.ts"]);
    expect(status).toBe(1);
    expect(stdout).toContain(`a.ts:2:46: "input.x" is a ref`);
  });
});

test("the packed declarations typecheck by themselves, the default entry without Node's types", () => {
  installed((app) => {
    const tsc = join(root, "node_modules/.bin/tsc");
    const options = ["--noEmit", "--strict", "--module", "nodenext", "--target", "esnext", "--skipLibCheck", "false"];
    writeFileSync(join(app, "package.json"), `{ "type": "module" }`);
    writeFileSync(join(app, "browser.ts"), `import "@millrace/core"; export * from "@millrace/core";`);
    writeFileSync(
      join(app, "app.ts"),
      `export * from "millrace"; import "@millrace/core/node"; import "@millrace/core/testing"; import "@millrace/postgres"; import "@millrace/mysql"; import "@millrace/otel";`,
    );
    expect(run(app, [tsc, ...options, "--types", "", "--lib", "esnext,dom", "browser.ts"])).toMatchObject({
      status: 0,
      stdout: "",
    });
    const nodeTypes = ["--typeRoots", join(root, "node_modules/@types"), "--types", "node"];
    expect(run(app, [tsc, ...options, ...nodeTypes, "app.ts"])).toMatchObject({ status: 0, stdout: "" });
  });
});

function run(
  cwd: string,
  [command, ...args]: [string, ...string[]],
): { status: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: "utf8" });
  return { status, stdout, stderr };
}
