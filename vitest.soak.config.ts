import { join } from "node:path";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";

/** A workspace, and the server that its long runs need: one that runs none starts none. */
function workspace(name: string, setup?: string): TestProjectInlineConfiguration {
  return {
    extends: true,
    test: {
      name,
      root: `packages/${name}`,
      include: ["test/**/*.soak.ts"],
      ...(setup !== undefined && { globalSetup: join(import.meta.dirname, "packages", name, setup) }),
    },
  };
}

const setup = "test/support/global-setup.ts";

/** `npm run soak`: the long random runs, files named `*.soak.ts`, which `npm test` does not wait for. */
export default defineConfig({
  test: {
    pool: "forks",
    maxWorkers: 1,
    testTimeout: 24 * 3_600_000,
    unstubAllEnvs: true,
    projects: [workspace("core"), workspace("postgres", setup), workspace("mysql", setup)],
  },
});
