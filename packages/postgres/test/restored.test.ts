import { restoredTests } from "../../core/test/servers/restored.ts";
import { harness } from "./support/harness.ts";
import { withClient } from "./support/store.ts";

restoredTests(harness, async (schema) =>
  withClient(async (client) => {
    const { rows } = await client.query<{ n: number }>(`SELECT max(n)::integer AS n FROM "${schema}".owners`);
    return rows[0]!.n;
  }),
);
