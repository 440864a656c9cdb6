import { errorOf } from "@millrace/core/adapter";
import { types as pgTypes, type Client, type ClientBase, type ClientConfig } from "pg";

import { setUpSession } from "./sql/set-up-session.ts";

/** Of the connections of one handle. */
export interface SessionOptions {
  readonly name: string;
  readonly synchronousCommit: "on" | "off";
  /** Of pg_stat_activity; told anew when the owner is known. */
  applicationName: string;
}

/** An int8, which must not lose a digit. */
function safeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`${text} is too large a number`);
  return value;
}

const INT8 = pgTypes.builtins.INT8;

const types: NonNullable<ClientConfig["types"]> = {
  getTypeParser: ((oid, format) =>
    oid === INT8 ? safeInteger : pgTypes.getTypeParser(oid, format)) as typeof pgTypes.getTypeParser,
};

/** What every connection has, whatever it is for. Limits are milliseconds. */
export const clientDefaults: ClientConfig = {
  types,
  keepAlive: true,
  connectionTimeoutMillis: 10_000,
};

const statementTimeoutMs = 60_000;
const lockTimeoutMs = 5_000;

/** An append holds no more than some megabytes. */
export const appendTimeoutMs: number = 15_000;

/** The client gives up on an answer a little later than the server on the statement. */
export const graceMs: number = 5_000;
export const answerTimeoutMs: number = statementTimeoutMs + graceMs;

export interface SessionReport {
  readonly serverVersion: string;
  readonly synchronousCommit: string;
  readonly fsync: string;
}

const oldest = 140_000;

/** What this connection must be, and a look at whether it is (H23). */
export async function setUp(client: ClientBase, options: SessionOptions): Promise<SessionReport> {
  const { name, synchronousCommit, applicationName } = options;
  const limits = [statementTimeoutMs, lockTimeoutMs, lockTimeoutMs].map(String);
  const { rows } = await client.query<SessionReport & { encoding: string; version: number }>(setUpSession, [
    applicationName,
    synchronousCommit,
    ...limits,
  ]);
  const [report] = rows;
  if (report === undefined) throw errorOf("InvariantBroken", { id: "B4", detail: "a session without settings" });
  check("server_encoding", report.encoding, ["UTF8"], name);
  check("synchronous_commit", report.synchronousCommit, [synchronousCommit, "remote_apply"], name);
  if (report.version < oldest) {
    throw errorOf("DatabaseUnavailable.setting", {
      backend: name,
      setting: "the server's version",
      found: report.serverVersion,
      wanted: "14 or later",
    });
  }
  const { serverVersion, fsync } = report;
  return { serverVersion, fsync, synchronousCommit: report.synchronousCommit };
}

function check(setting: string, found: string, wanted: readonly string[], backend: string): void {
  if (wanted.includes(found)) return;
  throw errorOf("DatabaseUnavailable.setting", { backend, setting, found, wanted: wanted[0] ?? "" });
}

/** Whether the process has to wait for this connection. `pg` has it and does not declare it. */
export function keepAlive(client: Client, isBusy: boolean): void {
  const counted = client as unknown as { ref(): void; unref(): void };
  if (isBusy) counted.ref();
  else counted.unref();
}
