import { join } from "node:path";
import { configDefaults, defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import { compileCache } from "./scripts/compile-cache.ts";
import { LongestFirst } from "./scripts/longest-first.ts";

/** One project per workspace that has tests; `npx vitest --project core` runs one of them. */
const projects: Record<string, string> = {
  core: "packages/core",
  millrace: "packages/millrace",
  postgres: "packages/postgres",
  mysql: "packages/mysql",
  otel: "packages/otel",
  inbox: "examples/inbox",
  patterns: "examples/patterns",
  bench: "bench",
  conformance: "conformance/langgraph",
  scripts: "scripts",
};

/** What has to be there, or run, while the tests of a workspace do. */
const globalSetup: Record<string, string> = {
  millrace: join(import.meta.dirname, "packages/millrace/test/support/global-setup.ts"),
  postgres: join(import.meta.dirname, "packages/postgres/test/support/global-setup.ts"),
  mysql: join(import.meta.dirname, "packages/mysql/test/support/global-setup.ts"),
};

/** The same for hostile mode on a server: `MILLRACE_HOSTILE=postgres npx vitest run --project core test/acceptance`. */
const hostileOn = process.env["MILLRACE_HOSTILE"] ?? "";
if (hostileOn in globalSetup) globalSetup["core"] = globalSetup[hostileOn] ?? "";

/** What every test file of a workspace begins with. */
const setupFiles: Record<string, string> = {
  mysql: join(import.meta.dirname, "packages/mysql/test/support/skip-without-server.ts"),
};

/**
 * Of the many files of these, one process runs one after the other: each has what it opens for itself, and to load the sources
 * anew for every file costs about half a second each.
 */
const sharing: ReadonlySet<string> = new Set(["core"]);

/** But for files that measure their process, in which therefore nothing else may have run. */
const alone: Record<string, readonly string[]> = { core: ["test/acceptance/transient.test.ts"] };

/**
 * Node itself loads the sources, as it does for applications: what it compiled of them is kept, calls between modules cost nothing,
 * and a worker is at work sooner. Vitest loads them where it watches, for only then it knows which tests a change concerns.
 */
const external = process.argv.includes("run") ? [/\/src\/.*\.ts$/] : [];

/** Of workers, and of all programs that tests start. */
process.env["NODE_COMPILE_CACHE"] ??= compileCache;

/** What holds for all of them. */
const shared = {
  testTimeout: 60_000,
  hookTimeout: 60_000,
  restoreMocks: true,
  unstubAllEnvs: true,
  server: { deps: { external } },
};

function workspace(name: string): TestProjectInlineConfiguration {
  return {
    extends: true,
    test: {
      ...shared,
      name,
      root: projects[name] ?? "",
      isolate: !sharing.has(name),
      include: ["test/**/*.test.ts"],
      exclude: [...configDefaults.exclude, ...(alone[name] ?? [])],
      ...(globalSetup[name] !== undefined && { globalSetup: globalSetup[name] }),
      ...(setupFiles[name] !== undefined && { setupFiles: setupFiles[name] }),
    },
  };
}

function apart(name: string, include: readonly string[]): TestProjectInlineConfiguration {
  return {
    extends: true,
    test: { ...shared, name: `${name}-apart`, root: projects[name] ?? "", include: [...include] },
  };
}

/**
 * What graphs mean, in hostile mode (`packages/core/test/acceptance/support/hostile.ts`): every run goes on in a fresh engine
 * behind each record. All acceptance tests run so in the soak; here those of every construct, which take some seconds a store.
 */
const constructs = [
  "blocks",
  "call-timeout",
  "caller-context",
  "causes",
  "cells",
  "combined",
  "failures",
  "field",
  "final",
  "finalizers",
  "interrupts",
  "leaving",
  "leaving-nested",
  "leaving-nested-pairs",
  "on-resume",
  "ordered-outputs",
  "reducers",
  "resolutions",
  "retry",
  "run-context",
  "sweep",
  "timeouts",
  "total-timeout",
  "values",
  "workflows",
];

function hostile(store: "memory" | "sqlite"): TestProjectInlineConfiguration {
  return {
    extends: true,
    test: {
      ...shared,
      name: `hostile-${store}`,
      isolate: false,
      root: "packages/core",
      include: constructs.map((name) => `test/acceptance/${name}.test.ts`),
      env: { MILLRACE_HOSTILE: store },
    },
  };
}

export default defineConfig({
  test: {
    // Worker processes, not threads: tests kill children, open databases and install signal handlers.
    pool: "forks",
    // One more than the processors of CI: there is always a test that waits, for a lease or for a child.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    passWithNoTests: true,
    projects: [
      ...Object.keys(projects).map(workspace),
      ...Object.entries(alone).map(([name, files]) => apart(name, files)),
      hostile("memory"),
      hostile("sqlite"),
    ],
  },
});
