/** `--db <file>`: engines over the user's database. */
import { existsSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { Engine, EngineOptions } from "@millrace/core";
import type { SqliteBackend } from "@millrace/core/node";
import { ExitCode } from "./exit.ts";
import { CliFailure } from "./errors/failure.ts";

/** For `run`: the file is created when it is missing. */
export function openForRunning(
  file: string,
  cwd: string,
  options: EngineOptions,
  backend?: SqliteBackend,
): Promise<Engine> {
  const path = resolve(cwd, file);
  if (!existsSync(path) && !existsSync(dirname(path))) {
    throw new CliFailure("DatabaseNotFound", `the folder of the database ${file} does not exist`, {
      exit: ExitCode.notFound,
      hint: "create the folder first; the file in it is created for you",
    });
  }
  return open(path, options, backend);
}

/** An engine without graphs, and the backend that it looks at. */
export interface Store {
  readonly engine: Engine;
  readonly backend: SqliteBackend;
}

/** For commands that look after a database: it must be there. */
export async function withStore<T>(file: string, cwd: string, use: (store: Store) => Promise<T>): Promise<T> {
  const path = existingFile(file, cwd);
  const { sqlite } = await import("@millrace/core/node");
  const backend = sqlite(path);
  return withEngine(openOver(backend, {}), (engine) => use({ engine, backend }));
}

/** For everything that needs a run to be there: reading must not leave an empty database behind. */
export async function openExisting(file: string, cwd: string, options: EngineOptions = {}): Promise<Engine> {
  return open(existingFile(file, cwd), options);
}

function existingFile(file: string, cwd: string): string {
  const path = resolve(cwd, file);
  if (!existsSync(path)) {
    throw new CliFailure("DatabaseNotFound", `there is no database ${file}`, {
      exit: ExitCode.notFound,
      hint: "check --db; `millrace run … --db <file>` creates it",
    });
  }
  mustBeFile(path);
  return path;
}

/** Orphaned runs stay where they are: a command acts on the run it names and on no other. */
async function open(path: string, options: EngineOptions, backend?: SqliteBackend): Promise<Engine> {
  if (existsSync(path)) mustBeFile(path);
  // Loaded when it is needed: help and most mistakes do without the engine.
  const { sqlite } = await import("@millrace/core/node");
  return openOver(backend ?? sqlite(path), options);
}

async function openOver(backend: SqliteBackend, options: EngineOptions): Promise<Engine> {
  const { openEngine } = await import("@millrace/core");
  return openEngine({ ...options, backend, recover: false });
}

function mustBeFile(path: string): void {
  if (!statSync(path).isFile())
    throw new CliFailure("DatabaseNotFound", `${path} is not a file`, { exit: ExitCode.notFound });
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
