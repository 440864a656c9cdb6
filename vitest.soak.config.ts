import { defineConfig } from "vitest/config";

/** `npm run soak`: the long random runs, files named `*.soak.ts`, which `npm test` does not wait for. */
export default defineConfig({
  test: {
    pool: "forks",
    maxWorkers: 2,
    passWithNoTests: true,
    include: ["packages/*/test/**/*.soak.ts", "examples/*/test/**/*.soak.ts"],
    globalSetup: ["packages/postgres/test/support/global-setup.ts", "packages/mysql/test/support/global-setup.ts"],
    testTimeout: 3_600_000,
  },
});
