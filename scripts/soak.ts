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
  zombies: "packages/postgres/test/takeover.soak.ts",
  restarts: "packages/postgres/test/restarts.soak.ts",
  disk: "packages/core/test/node/disk.soak.ts",
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { minutes: { type: "string", default: "5" }, seed: { type: "string" }, kills: { type: "string" } },
});
const unknown = positionals.filter((name) => !(name in parts));
const numbers = [values.minutes, values.seed ?? "0", values.kills ?? "0"].map(Number);
if (unknown.length > 0 || numbers.some((number) => !Number.isFinite(number))) {
  console.error(`soak [${Object.keys(parts).join("] [")}] [--minutes n] [--seed n] [--kills n]`);
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
const files = positionals.map((name) => parts[name] ?? "");
const run = spawnSync("vitest", ["run", "--config", "vitest.soak.config.ts", ...files], {
  cwd: root,
  env,
  stdio: "inherit",
});
console.log(`seed ${seed}`);
process.exitCode = run.status ?? 1;
