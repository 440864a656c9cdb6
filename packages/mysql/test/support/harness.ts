import { mysql, type MysqlOptions } from "@millrace/mysql";
import { inject } from "vitest";

import type { ServerHarness } from "../../../core/test/servers/harness.ts";
import { freshPrefix, lapse, withClient } from "./store.ts";

const numbers = { data: 1644, full: 1021, conflict: 1213 } as const;

export const harness: ServerHarness = {
  url: "mysqlUrl",
  backend: (url, prefix, options) => mysql(url, { ...options, prefix } as MysqlOptions),
  fromConfig(prefix, more) {
    const { hostname, port, username, password } = new URL(inject("mysqlUrl"));
    const config = { host: hostname, port: Number(port), user: username, password, database: "test" };
    return mysql({ ...config, connectionLimit: 2, ...more }, { prefix });
  },
  async claimVersion(prefix, version) {
    await withClient((client) =>
      client.query(`INSERT INTO \`${prefix}schema_version\` (version, applied_at) VALUES (?, NOW(6))`, [version]),
    );
  },
  fresh: freshPrefix,
  lapse,
  async terminate(prefix) {
    const ids = await connectionsOf(prefix);
    // One may have ended by itself meanwhile.
    await withClient(async (client) => {
      for (const id of ids) await client.query(`KILL CONNECTION ${id}`).catch(() => undefined);
    });
    return ids.length;
  },
  async refuse(prefix, text, how) {
    await withClient((client) =>
      client.query(`
        CREATE TRIGGER \`${prefix}refuse\` BEFORE INSERT ON \`${prefix}journal\` FOR EACH ROW
        IF NEW.bytes = '${text}' THEN
          SIGNAL SQLSTATE '45000' SET MYSQL_ERRNO = ${numbers[how]}, MESSAGE_TEXT = 'refused';
        END IF`),
    );
    return () => withClient(async (client) => void (await client.query(`DROP TRIGGER \`${prefix}refuse\``)));
  },
  program: new URL("../programs/owner.ts", import.meta.url),
  // A prepared statement goes by its number: what is looked for are bytes of rows and notes, and the end of a transaction.
  requests: { append: "epoch 1", appends: "epoch 1", create: "epoch 1", post: "yes", claim: "COMMIT" },
  // Answers of statements that change something are short.
  isAnswered: () => true,
};

/** All that hold the named lock of an owner there. */
async function connectionsOf(prefix: string): Promise<number[]> {
  return withClient(async (client) => {
    const [rows] = await client.query(`SELECT connection_id AS id FROM \`${prefix}sessions\`
      WHERE connection_id IN (SELECT id FROM information_schema.processlist)`);
    return (rows as { id: number }[]).map(({ id }) => id);
  });
}
