/** Under umask argv[3] stores whatever there is to store in the folder argv[2], and says the modes of all files as JSON. */
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { op, openEngine } from "../../../src/index.ts";
import { projectTraces, sqlite, sqliteCache, sqliteTraces } from "../../../src/node/index.ts";

const [, , folder = "", umask = "022"] = process.argv;
process.umask(Number.parseInt(umask, 8));
const cache = sqliteCache(join(folder, "cache.db"));
const step = op("step", { cache: { ttl: "1h" } }, async ({ n }: { n: number }) => ({ n }));
const engine = await openEngine({
  backend: sqlite(join(folder, "runs.db")),
  cache,
  traces: { sinks: [sqliteTraces(join(folder, "traces.db")), projectTraces({ from: folder })] },
});
await engine.run(step, { n: 1 });
const modes: Record<string, string> = {};
for (const name of readdirSync(folder, { recursive: true }) as string[])
  modes[name] = (statSync(join(folder, name)).mode & 0o777).toString(8);
process.stdout.write(JSON.stringify(modes));
await engine.close();
cache.close();
