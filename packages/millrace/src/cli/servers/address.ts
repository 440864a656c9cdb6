/**
 * `--db` with the address of a database on a server. Its secrets are put away where it is read: everything else has, and prints,
 * the address without them.
 */
import type { Backend } from "@millrace/core";
import { CliFailure } from "../errors/failure.ts";
import { loadAdapter } from "./adapter.ts";

interface Server {
  readonly title: string;
  readonly adapter: string;
  /** What the adapter exports. */
  readonly factory: "postgres" | "mysql";
  /** In the address behind `?`, and an option of the adapter: whose tables they are. */
  readonly scope: "schema" | "prefix";
}

const postgres: Server = {
  title: "PostgreSQL",
  adapter: "@millrace/postgres",
  factory: "postgres",
  scope: "schema",
};
const mysql: Server = { title: "MySQL or MariaDB", adapter: "@millrace/mysql", factory: "mysql", scope: "prefix" };

const servers: ReadonlyMap<string, Server> = new Map([
  ["postgres:", postgres],
  ["postgresql:", postgres],
  ["mysql:", mysql],
  ["mariadb:", mysql],
]);

/** Addresses as they were given, by what is shown of them. */
const given = new Map<string, string>();

/** Of a value of `--db`: a file as it is, an address without its secrets. */
export function nameDatabase(text: string): string {
  if (!isAddress(text)) return text;
  const shown = shownOf(text);
  // Commands that are shown to be pasted name the address without its password, which the environment still has.
  const { MILLRACE_DB: kept = "" } = process.env;
  given.set(shown, isAddress(kept) && shownOf(kept) === shown ? kept : text);
  return shown;
}

/** A letter alone before the colon is a drive of Windows. */
export function isAddress(db: string): boolean {
  return /^[a-z][a-z\d+.-]+:\/\//i.test(db);
}

/** @throws CliFailure */
export async function backendAt(shown: string, cwd: string): Promise<Backend> {
  const url = read(given.get(shown) ?? shown);
  const { title, adapter, factory, scope } = serverOf(url);
  const wanted = url.searchParams.get(scope);
  url.searchParams.delete(scope);
  const module = await loadAdapter(adapter, title, cwd);
  const make = module[factory] as (address: string, options: Readonly<Record<string, string>>) => Backend;
  return make(url.href, wanted === null ? {} : { [scope]: wanted });
}

/** Scheme, user, host, database, and whose tables: passwords stand before the `@` and behind the `?`. */
function shownOf(text: string): string {
  const url = read(text);
  const { scope } = serverOf(url);
  const user = url.username === "" ? "" : `${url.username}@`;
  const wanted = url.searchParams.get(scope);
  const query = wanted === null ? "" : `?${scope}=${encodeURIComponent(wanted)}`;
  return `${url.protocol}//${user}${url.host}${url.pathname}${query}`;
}

/** Nothing of a text that cannot be read is repeated: it may hold a password. */
function read(text: string): URL {
  if (URL.canParse(text)) return new URL(text);
  throw new CliFailure("InvalidAddress", "--db: the address of the database cannot be read", {
    hint: "as in postgres://user@host:5432/database; @ : / ? # in a user or a password are written %40 %3A %2F %3F %23",
  });
}

function serverOf({ protocol }: URL): Server {
  const server = servers.get(protocol);
  if (server !== undefined) return server;
  throw new CliFailure("InvalidAddress", `--db: no backend is known for addresses with ${protocol}//`, {
    hint: "postgres://, postgresql://, mysql:// or mariadb://; what is no address is an SQLite file",
  });
}
