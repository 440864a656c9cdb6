/**
 * `npm run soak`: the long random runs, all of them or the named parts, one after the other. `--minutes n` is how long random
 * graphs are tried and servers restarted, `--kills n` how often processes are killed, `--rounds n` how often an owner is
 * stopped, `--seed n` where the graphs and the moments begin. Each part prints its seed and its counts, and the end says what became
 * of each; Ctrl-C ends the part that runs and what it started.
 *
 *   npm run soak                                  everything
 *   npm run soak -- graphs --minutes 60 --seed 7  random graphs for an hour, from seed 7 on
 *   npm run soak -- sqlite postgres               200 kills each
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:os";
import { parseArgs } from "node:util";
import { root } from "./packages.ts";

/** One run of vitest: its arguments, and what is added to its environment. */
interface Part {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

function files(...names: readonly string[]): Part {
  return { args: ["--config", "vitest.soak.config.ts", ...names] };
}

/** The acceptance tests of every construct in hostile mode, on one store. */
function hostile(store: string): Part {
  const projects = ["--project", "core", "--project", "core-apart"];
  return { args: [...projects, "packages/core/test/acceptance"], env: { MILLRACE_HOSTILE: store } };
}

/** By what they are for. */
const parts: Readonly<Record<string, readonly Part[]>> = {
  graphs: [files("packages/core/test/property/cases.soak.ts")],
  sqlite: [files("packages/core/test/sigkill/sigkill.soak.ts")],
  postgres: [files("packages/postgres/test/crash-harness.soak.ts")],
  mysql: [files("packages/mysql/test/crash-harness.soak.ts")],
  zombies: [files("packages/postgres/test/takeover.soak.ts"), files("packages/mysql/test/takeover.soak.ts")],
  restarts: [files("packages/postgres/test/restarts.soak.ts"), files("packages/mysql/test/restarts.soak.ts")],
  disk: [files("packages/core/test/node/disk")],
  hostile: [hostile("memory"), hostile("sqlite"), hostile("postgres"), hostile("mysql")],
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    minutes: { type: "string", default: "5" },
    seed: { type: "string", default: String(Date.now() % 2 ** 32) },
    kills: { type: "string", default: "200" },
    rounds: { type: "string", default: "40" },
  },
});
const isUnknown = positionals.some((name) => !Object.hasOwn(parts, name));
if (isUnknown || Object.values(values).some((value) => !/^\d+(\.\d+)?$/.test(value))) {
  console.error(`soak [${Object.keys(parts).join("] [")}] [--minutes n] [--seed n] [--kills n] [--rounds n]`);
  process.exit(2);
}

const settings = {
  MILLRACE_SOAK_SEED: values.seed,
  MILLRACE_MINUTES: values.minutes,
  MILLRACE_KILLS: values.kills,
  MILLRACE_ROUNDS: values.rounds,
};

let isStopped = false;
// It reaches vitest and the processes of the tests too, which end by it; what runs after them is up to this process.
process.on("SIGINT", () => (isStopped = true));

async function play({ args, env }: Part): Promise<boolean> {
  const run = spawn("vitest", ["run", ...args], {
    cwd: root,
    env: { ...process.env, ...settings, ...env },
    stdio: "inherit",
  });
  const [code] = (await once(run, "exit")) as [number | null];
  return code === 0;
}

/** What became of one name, in a line. */
async function playAll(name: string, its: readonly Part[]): Promise<string> {
  const since = performance.now();
  console.log(`\n${name}: seed ${values.seed}`);
  const went: boolean[] = [];
  for (const part of its) if (!isStopped) went.push(await play(part));
  const seconds = Math.round((performance.now() - since) / 1_000);
  const became = isStopped ? "stopped" : went.every(Boolean) ? "passed" : "FAILED";
  return `${name}: ${became} in ${seconds} s; again: npm run soak -- ${name} ${again}`;
}

const again = Object.entries(values)
  .flatMap(([option, value]) => [`--${option}`, value])
  .join(" ");
const outcomes: string[] = [];
for (const name of positionals.length > 0 ? positionals : Object.keys(parts))
  if (!isStopped) outcomes.push(await playAll(name, parts[name] ?? []));
console.log(`\n${outcomes.join("\n")}`);
const isFailed = outcomes.some((outcome) => outcome.includes(": FAILED"));
process.exitCode = isStopped ? 128 + constants.signals.SIGINT : isFailed ? 1 : 0;
