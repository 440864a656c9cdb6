import { postgres, type PostgresOptions } from "@millrace/postgres";
import { inject } from "vitest";

import type { ServerHarness } from "../../../core/test/servers/harness.ts";
import { freshSchema, lapse, withClient } from "./store.ts";

const codes = { data: "22023", full: "53100", conflict: "40001" } as const;

export const harness: ServerHarness = {
  url: "postgresUrl",
  backend: (url, schema, options) => postgres(url, { ...options, schema } as PostgresOptions),
  fromConfig(schema, more) {
    const { hostname, port, username, password } = new URL(inject("postgresUrl"));
    const config = { host: hostname, port: Number(port), user: username, database: "postgres", max: 2 };
    return postgres({ ...config, password: async () => password, ...more }, { schema });
  },
  async claimVersion(schema, version) {
    await withClient((client) => client.query(`INSERT INTO "${schema}".schema_version (version) VALUES (${version})`));
  },
  fresh: freshSchema,
  lapse,
  terminate: (schema) => terminate(schema),
  async refuse(schema, text, how) {
    await withClient(async (client) => {
      await client.query(`
        CREATE FUNCTION "${schema}".refuse() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          IF convert_from(NEW.bytes, 'UTF8') = '${text}' THEN
            RAISE EXCEPTION 'refused' USING ERRCODE = '${codes[how]}';
          END IF;
          RETURN NEW;
        END $$;
        CREATE TRIGGER refuse BEFORE INSERT ON "${schema}".journal FOR EACH ROW EXECUTE FUNCTION "${schema}".refuse()`);
    });
    return () => withClient(async (client) => void (await client.query(`DROP FUNCTION "${schema}".refuse() CASCADE`)));
  },
  program: new URL("../programs/owner.ts", import.meta.url),
  requests: {
    append: "millrace_advanceRun",
    appends: "millrace_advanceRuns",
    create: "millrace_insertRun",
    post: "millrace_insertNote",
    claim: "millrace_claimRuns",
  },
  // ReadyForQuery: the transaction is over.
  isAnswered: (piece) => piece.includes("Z\0\0\0\u0005"),
};

/** Those whose last statement holds the text. */
export async function terminate(schema: string, lastStatement = ""): Promise<number> {
  return withClient(async (client) => {
    const { rows } = await client.query<{ ended: boolean }>(
      `SELECT pg_terminate_backend(pid) AS ended FROM pg_stat_activity
       WHERE application_name LIKE 'millrace ' || $1 || '%' AND query LIKE '%' || $2 || '%'`,
      [schema, lastStatement],
    );
    return rows.length;
  });
}
