import { restoredTests } from "../../core/test/servers/restored.ts";
import { harness } from "./support/harness.ts";
import { withClient } from "./support/store.ts";

restoredTests(harness, async (prefix) =>
  withClient(async (client) => {
    const [rows] = await client.query(`SELECT MAX(n) AS n FROM \`${prefix}owners\``);
    return (rows as { n: number }[])[0]!.n;
  }),
);
