import { errorOf } from "@millrace/core/adapter";
import type { Connection, ConnectionOptions } from "mysql2/promise";

import { takes } from "./client.ts";
import { selectConnection, selectSettings, setIsolation, setUpSession } from "./sql/set-up-session.ts";

/** Of the connections of one handle. */
export interface SessionOptions {
  readonly name: string;
  readonly durable: "commit" | "server";
  /** Beginning of named locks. */
  readonly lockScope: string;
  /** Known once the owner is registered; connections made before are ended. */
  ownerN: number | undefined;
}

/** What every connection has, whatever it is for. */
export const clientDefaults: ConnectionOptions = {
  connectTimeout: 10_000,
  enableKeepAlive: true,
  keepAliveInitialDelay: 10_000,
};

/** What nobody's configuration changes: results are read as this package's statements give them. */
export const clientEssentials: ConnectionOptions = {
  charset: "utf8mb4_bin",
  flags: ["FOUND_ROWS"],
  decimalNumbers: true,
  supportBigNumbers: true,
  bigNumberStrings: false,
  rowsAsArray: false,
  nestTables: false,
  namedPlaceholders: false,
  multipleStatements: false,
};

const lockSeconds = 5;
const statementSeconds = 60;
/** An append holds no more than some megabytes. */
export const appendSeconds: number = 15;
/** The client gives up on an answer a little later than the server on the statement; milliseconds. */
export const graceMs: number = 5_000;
export const answerTimeoutMs: number = statementSeconds * 1_000 + graceMs;

/** As the server itself reports them. */
export interface SessionReport {
  readonly serverVersion: string;
  readonly flushLogAtCommit: string;
  readonly syncBinlog: string;
  readonly maxAllowedPacket: number;
}

/** A connection of ours, and its number at the server. */
export interface Session {
  readonly id: number;
  readonly report: SessionReport;
}

/** Room for the largest statement of ours: a part of a blob, or a batch of appends, as hexadecimal digits. */
export const leastPacket: number = 16 << 20;

/** What this connection must be, and a look at whether it is (H23). */
export async function setUp(
  client: Connection,
  options: SessionOptions,
  seconds: number = statementSeconds,
): Promise<Session> {
  const [{ id, version }] = (await select<{ id: number; version: string }>(client, selectConnection)) as [
    { id: number; version: string },
  ];
  const isMariaDb = /mariadb/i.test(version);
  checkVersion(version, isMariaDb, options.name);
  await client.query(setUpSession(isMariaDb, { statement: seconds, lock: lockSeconds }));
  await client.query(setIsolation);
  const rows = await select<{ Variable_name: string; Value: string }>(client, selectSettings);
  const settings = new Map(rows.map(({ Variable_name: name, Value: value }) => [name, value]));
  checkSettings(settings, options);
  takes(client, Number(settings.get("max_allowed_packet")));
  return {
    id,
    report: {
      serverVersion: version,
      flushLogAtCommit: settings.get("innodb_flush_log_at_trx_commit") ?? "",
      syncBinlog: settings.get("log_bin") === "ON" ? (settings.get("sync_binlog") ?? "") : "no binary log",
      maxAllowedPacket: Number(settings.get("max_allowed_packet")),
    },
  };
}

async function select<Row>(client: Connection, text: string): Promise<Row[]> {
  const [rows] = await client.query(text);
  return rows as Row[];
}

/** JSON tables, locks that are skipped, and window functions. */
function checkVersion(version: string, isMariaDb: boolean, backend: string): void {
  const [, major = "0", minor = "0"] = /^(?:5\.5\.5-)?(\d+)\.(\d+)/.exec(version) ?? [];
  const [least, wanted] = isMariaDb ? [10_006, "MariaDB 10.6 or later"] : [8_000, "MySQL 8.0.22 or later"];
  if (Number(major) * 1_000 + Number(minor) >= least) return;
  throw errorOf("DatabaseUnavailable.setting", { backend, setting: "the server's version", found: version, wanted });
}

/** @throws MillraceError that names the setting */
export function checkSettings(
  settings: ReadonlyMap<string, string>,
  { name: backend, durable }: Pick<SessionOptions, "name" | "durable">,
): void {
  const check = (setting: string, isRight: (value: string) => boolean, wanted: string): void => {
    const found = settings.get(setting);
    if (found === undefined || isRight(found)) return;
    throw errorOf("DatabaseUnavailable.setting", { backend, setting, found, wanted });
  };
  const is =
    (...values: readonly string[]) =>
    (found: string): boolean =>
      values.includes(found.toUpperCase());
  const isNot =
    (value: string) =>
    (found: string): boolean =>
      found.toUpperCase() !== value;
  check("max_allowed_packet", (found) => Number(found) >= leastPacket, `${leastPacket} or more`);
  check("wsrep_on", isNot("ON"), "OFF: named locks and leases belong to one server that writes");
  check("read_only", isNot("ON"), "OFF: a replica's rows are its primary's, and what is written beside them is lost");
  const hasBinlog = settings.get("log_bin") === "ON";
  if (hasBinlog) check("binlog_format", isNot("STATEMENT"), "ROW or MIXED");
  if (durable === "server") return;
  check("innodb_flush_log_at_trx_commit", is("1"), '1, or mysql(…, { durable: "server" })');
  check("innodb_flush_method", isNot("NOSYNC"), 'one that waits for the disk, or mysql(…, { durable: "server" })');
  if (hasBinlog) check("sync_binlog", is("1"), '1, or mysql(…, { durable: "server" })');
}
