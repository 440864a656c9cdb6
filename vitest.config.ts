import { join } from "node:path";
import { defineConfig } from "vitest/config";

/** One project per workspace that has tests; `npx vitest --project core` runs one of them. */
const projects: Record<string, string> = {
  core: "packages/core",
  millrace: "packages/millrace",
  postgres: "packages/postgres",
  mysql: "packages/mysql",
  inbox: "examples/inbox",
  patterns: "examples/patterns",
  bench: "bench",
  scripts: "scripts",
};

/** What has to run while the tests of a workspace do. */
const globalSetup: Record<string, string> = {
  postgres: join(import.meta.dirname, "packages/postgres/test/support/global-setup.ts"),
  mysql: join(import.meta.dirname, "packages/mysql/test/support/global-setup.ts"),
};

/** What every test file of a workspace begins with. */
const setupFiles: Record<string, string> = {
  mysql: join(import.meta.dirname, "packages/mysql/test/support/skip-without-server.ts"),
};

export default defineConfig({
  test: {
    // Worker processes, not threads: tests kill children, open databases and install signal handlers.
    pool: "forks",
    maxWorkers: 2,
    passWithNoTests: true,
    projects: Object.entries(projects).map(([name, root]) => ({
      extends: true,
      test: {
        name,
        root,
        include: ["test/**/*.test.ts"],
        ...(globalSetup[name] !== undefined && { globalSetup: globalSetup[name] }),
        ...(setupFiles[name] !== undefined && { setupFiles: setupFiles[name] }),
        testTimeout: 20_000,
        hookTimeout: 20_000,
        restoreMocks: true,
        unstubAllEnvs: true,
      },
    })),
  },
});
