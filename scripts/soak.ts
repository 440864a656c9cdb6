/**
 * `npm run soak`: the long random runs, all of them or the named parts. `--minutes n` is how long random graphs are tried,
 * `--seed n` where they and the moments of kills begin; both are printed, with what was done.
 *
 *   npm run soak                                  everything
 *   npm run soak -- graphs --minutes 60 --seed 7  random graphs for an hour, from seed 7 on
 *   npm run soak -- sqlite postgres               200 kills each
 */
import { spawnSync } from "node:child_process";
import { parseArgs } from "node:util";
import { root } from "./packages.ts";

/** Files, by what they are for. */
const parts: Readonly<Record<string, string>> = {
  graphs: "packages/core/test/property/cases.soak.ts",
  sqlite: "packages/core/test/sigkill/sigkill.soak.ts",
  postgres: "packages/postgres/test/crash-harness.soak.ts",
  mysql: "packages/mysql/test/crash-harness.soak.ts",
  zombies: "packages/postgres/test/takeover.soak.ts",
  restarts: "packages/postgres/test/restarts.soak.ts",
  disk: "packages/core/test/node/disk.soak.ts",
};

/** All acceptance tests in hostile mode, on one store after the other. */
const hostile = ["memory", "sqlite"];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { minutes: { type: "string", default: "5" }, seed: { type: "string" }, kills: { type: "string" } },
});
const unknown = positionals.filter((name) => !(name in parts) && name !== "hostile");
const numbers = [values.minutes, values.seed ?? "0", values.kills ?? "0"].map(Number);
if (unknown.length > 0 || numbers.some((number) => !Number.isFinite(number))) {
  console.error(`soak [${Object.keys(parts).join("] [")}] [hostile] [--minutes n] [--seed n] [--kills n]`);
  process.exit(2);
}

const seed = values.seed ?? String(Date.now() % 2 ** 32);
console.log(`seed ${seed}, ${values.minutes} minutes of random graphs`);
const env = {
  ...process.env,
  MILLRACE_SOAK_SEED: seed,
  MILLRACE_MINUTES: values.minutes,
  ...(values.kills === undefined ? {} : { MILLRACE_KILLS: values.kills }),
};
const files = positionals.flatMap((name) => parts[name] ?? []);

function vitest(args: readonly string[], more: Readonly<Record<string, string>> = {}): boolean {
  const run = spawnSync("vitest", ["run", ...args], { cwd: root, env: { ...env, ...more }, stdio: "inherit" });
  return run.status === 0;
}

const ran = [
  ...(positionals.length === 0 || files.length > 0 ? [vitest(["--config", "vitest.soak.config.ts", ...files])] : []),
  ...(positionals.length === 0 || positionals.includes("hostile") ? hostile : []).map((store) =>
    vitest(["--project", "core", "--project", "core-apart", "packages/core/test/acceptance"], {
      MILLRACE_HOSTILE: store,
    }),
  ),
];
console.log(`seed ${seed}`);
process.exitCode = ran.every(Boolean) ? 0 : 1;
