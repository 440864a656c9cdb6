/**
 * Appends to runs of its own in the database argv[2] until it is killed. Says on stdout, one line each, what has been
 * acknowledged: `run lastSeq`.
 */
import { sqlite } from "../../../src/node/index.ts";

const backend = sqlite(process.argv[2] ?? "");
await backend.open(`victim-${process.pid}`);

async function write(runId: string): Promise<void> {
  const bytes = new TextEncoder().encode(runId.repeat(20));
  await backend.create({
    id: runId,
    graph: "g",
    fingerprint: "f",
    createdAt: 1,
    first: { firstSeq: 1, count: 1, bytes, chain: 1 },
  });
  process.stdout.write(`${runId} 1\n`);
  for (let firstSeq = 2; ; firstSeq += 1) {
    const row = { firstSeq, count: 1, bytes, chain: firstSeq };
    const result = await backend.append({ runId, epoch: 1, row, at: firstSeq });
    if (result.type === "lost") throw new Error(`${runId} was lost`);
    process.stdout.write(`${runId} ${firstSeq}\n`);
  }
}

await Promise.all(Array.from({ length: 8 }, (_, i) => write(`${process.argv[3] ?? "run"}-${i}`)));
