/**
 * Creates a run in the database argv[2] and makes argv[3] appends, one after the other; a failed one is tried again
 * from what the run row says, five times in all. Says `ok seq`, `failed code` for each, and `end lastSeq` at the end.
 */
import { MillraceError } from "../../../src/base/error.ts";
import { sqlite } from "../../../src/node/index.ts";

const backend = sqlite(process.argv[2] ?? "");
const bytes = new Uint8Array(500);
const failures: string[] = [];

function fail(error: unknown): void {
  if (!(error instanceof MillraceError)) throw error;
  failures.push(error.code);
  process.stdout.write(`failed ${error.code}\n`);
}

await backend.open("a");
const first = { firstSeq: 1, count: 1, bytes, chain: 1 };
async function lastSeqOf(run: string): Promise<number> {
  const row = await backend.get(run).catch(fail);
  return row?.lastSeq ?? 0;
}

while (failures.length < 5 && (await lastSeqOf("r")) === 0) {
  await backend.create({ id: "r", graph: "g", fingerprint: "f", createdAt: 1, first }).catch(fail);
}
for (let lastSeq = 1; failures.length < 5 && lastSeq <= Number(process.argv[3]);) {
  const row = { firstSeq: lastSeq + 1, count: 1, bytes, chain: lastSeq + 1 };
  const result = await backend.append({ runId: "r", epoch: 1, row, at: 1 }).catch(fail);
  if (result?.type === "ok") process.stdout.write(`ok ${lastSeq + 1}\n`);
  lastSeq = await lastSeqOf("r");
}
process.stdout.write(`end ${await lastSeqOf("r")}\n`);
await backend.close();
