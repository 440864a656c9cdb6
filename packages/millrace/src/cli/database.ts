/** `--db <file>`: engines over the user's database. */
import { existsSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { Engine, EngineOptions } from "@millrace/core";
import { ExitCode } from "./exit.ts";
import { CliFailure } from "./errors/failure.ts";

/** For `run`: the file is created when it is missing. */
export function openForRunning(file: string, cwd: string, options: EngineOptions): Promise<Engine> {
  const path = resolve(cwd, file);
  if (!existsSync(path) && !existsSync(dirname(path))) {
    throw new CliFailure("DatabaseNotFound", `the folder of the database ${file} does not exist`, {
      exit: ExitCode.notFound,
      hint: "create the folder first; the file in it is created for you",
    });
  }
  return open(path, options);
}

/** For everything that needs a run to be there: reading must not leave an empty database behind. */
export function openExisting(file: string, cwd: string, options: EngineOptions = {}): Promise<Engine> {
  const path = resolve(cwd, file);
  if (!existsSync(path)) {
    throw new CliFailure("DatabaseNotFound", `there is no database ${file}`, {
      exit: ExitCode.notFound,
      hint: "check --db; `millrace run … --db <file>` creates it",
    });
  }
  return open(path, options);
}

/** Orphaned runs stay where they are: a command acts on the run it names and on no other. */
async function open(path: string, options: EngineOptions): Promise<Engine> {
  if (existsSync(path) && !statSync(path).isFile()) {
    throw new CliFailure("DatabaseNotFound", `${path} is not a file`, { exit: ExitCode.notFound });
  }
  // Loaded when it is needed: help and most mistakes do without the engine.
  const [{ openEngine }, { encrypted, sqlite }] = await Promise.all([
    import("@millrace/core"),
    import("@millrace/core/node"),
  ]);
  const keys = keysOf(process.env);
  const backend = keys === undefined ? sqlite(path) : encrypted(sqlite(path), { keys });
  return openEngine({ ...options, backend, recover: false });
}

/** `MILLRACE_KEYS`: base64 keys with commas between them, the first of which writes. */
function keysOf(env: NodeJS.ProcessEnv): readonly string[] | undefined {
  const { MILLRACE_KEYS: keys = "" } = env;
  return keys === "" ? undefined : keys.split(",").map((key) => key.trim());
}

/** Runs `use` with an engine and closes it, whatever happens. */
export async function withEngine<T>(opening: Promise<Engine>, use: (engine: Engine) => Promise<T>): Promise<T> {
  const engine = await opening;
  try {
    return await use(engine);
  } finally {
    await engine.close();
  }
}
