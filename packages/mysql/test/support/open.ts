import { mysql, type MysqlBackend, type MysqlOptions } from "@millrace/mysql";
import { inject, onTestFinished } from "vitest";

/** Open, and closed with the test. */
export async function opened(
  owner: string,
  options: MysqlOptions,
  url: string = inject("mysqlUrl"),
): Promise<MysqlBackend> {
  const backend = mysql(url, options);
  await backend.open(owner);
  onTestFinished(() => backend.close());
  return backend;
}
