import { join } from "node:path";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";

/** One project per workspace that has tests; `npx vitest --project core` runs one of them. */
const projects: Record<string, string> = {
  core: "packages/core",
  millrace: "packages/millrace",
  postgres: "packages/postgres",
  mysql: "packages/mysql",
  inbox: "examples/inbox",
  patterns: "examples/patterns",
  bench: "bench",
  conformance: "conformance/langgraph",
  scripts: "scripts",
};

/** What has to run while the tests of a workspace do. */
const globalSetup: Record<string, string> = {
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

/** What holds for all of them. */
const shared = { testTimeout: 20_000, hookTimeout: 20_000, restoreMocks: true, unstubAllEnvs: true } as const;

function workspace(name: string): TestProjectInlineConfiguration {
  return {
    extends: true,
    test: {
      ...shared,
      name,
      root: projects[name] ?? "",
      include: ["test/**/*.test.ts"],
      ...(globalSetup[name] !== undefined && { globalSetup: globalSetup[name] }),
      ...(setupFiles[name] !== undefined && { setupFiles: setupFiles[name] }),
    },
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
];

function hostile(store: "memory" | "sqlite"): TestProjectInlineConfiguration {
  return {
    extends: true,
    test: {
      ...shared,
      name: `hostile-${store}`,
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
    maxWorkers: 2,
    passWithNoTests: true,
    projects: [...Object.keys(projects).map(workspace), hostile("memory"), hostile("sqlite")],
  },
});
