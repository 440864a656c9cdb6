/** Compacts every run of the database argv[2], one after the other, and says the id of each when it is done. */
import { compactRun } from "../../../src/journal/compact/compact-run.ts";
import { sqlite } from "../../../src/node/index.ts";

const backend = sqlite(process.argv[2] ?? "");
await backend.open("compactor");
for (const { id } of await backend.list()) {
  await compactRun(backend, id);
  process.stdout.write(`${id}\n`);
}
await backend.close();
