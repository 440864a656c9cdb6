/** `--db`: engines over the user's database, a file or one on a server. */
import { existsSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { Backend, Engine, EngineOptions } from "@millrace/core";
import type { SqliteBackend } from "@millrace/core/node";
import { ExitCode } from "./exit.ts";
import { CliFailure } from "./errors/failure.ts";
import { backendAt, isAddress } from "./servers/address.ts";

/** For `run`: a file is created when it is missing. */
export async function openForRunning(file: string, cwd: string, options: EngineOptions): Promise<Engine> {
  return (await open(file, cwd, fileToBe, options)).engine;
}

/** For everything that needs a run to be there: reading must not leave an empty database behind. */
export async function openExisting(file: string, cwd: string, options: EngineOptions = {}): Promise<Engine> {
  return (await open(file, cwd, existingFile, options)).engine;
}

/** An engine, without graphs unless some are named, and the backend that it looks at. */
export interface Store {
  readonly engine: Engine;
  /** Reads and writes what is stored, decrypted where there are keys. */
  readonly backend: Backend;
  /** The file below it, where it is one. */
  readonly sqlite: SqliteBackend | undefined;
}

/** For commands that look after a database: it must be there. */
export async function withStore<T>(
  file: string,
  cwd: string,
  use: (store: Store) => Promise<T>,
  options: EngineOptions = {},
): Promise<T> {
  return withOpen(open(file, cwd, existingFile, options), use);
}

/** As `withStore`; a file is created when it is missing. */
export async function withStoreToBe<T>(file: string, cwd: string, use: (store: Store) => Promise<T>): Promise<T> {
  return withOpen(open(file, cwd, fileToBe, {}), use);
}

async function withOpen<T>(opening: Promise<Store>, use: (store: Store) => Promise<T>): Promise<T> {
  const store = await opening;
  return withEngine(Promise.resolve(store.engine), () => use(store));
}

function fileToBe(file: string, cwd: string): string {
  const path = resolve(cwd, file);
  if (!existsSync(path) && !existsSync(dirname(path))) {
    throw new CliFailure("DatabaseNotFound", `the folder of the database ${file} does not exist`, {
      exit: ExitCode.notFound,
      hint: "create the folder first; the file in it is created for you",
    });
  }
  if (existsSync(path)) mustBeFile(path);
  return path;
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

function mustBeFile(path: string): void {
  if (!statSync(path).isFile())
    throw new CliFailure("DatabaseNotFound", `${path} is not a file`, { exit: ExitCode.notFound });
}

/** Orphaned runs stay where they are: a command acts on the run it names and on no other. */
async function open(db: string, cwd: string, file: typeof existingFile, options: EngineOptions): Promise<Store> {
  const path = isAddress(db) ? undefined : file(db, cwd);
  // Loaded when it is needed: help and most mistakes do without the engine.
  const [{ openEngine }, { encrypted, sqlite: sqliteAt }] = await Promise.all([
    import("@millrace/core"),
    import("@millrace/core/node"),
  ]);
  const sqlite = path === undefined ? undefined : sqliteAt(path);
  const plain = sqlite ?? (await backendAt(db, cwd));
  const keys = keysOf(process.env);
  const backend = keys === undefined ? plain : encrypted(plain, { keys });
  const engine = await openEngine({ ...options, backend, recover: false });
  return { engine, backend, sqlite };
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
