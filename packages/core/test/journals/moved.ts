import { join } from "node:path";
import { memory, type Backend, type JournalRow } from "../../src/index.ts";
import type { MemoryBackend } from "../../src/backends/memory.ts";
import { allCarried } from "../../src/journal/carry/all-carried.ts";
import { nextChain } from "../../src/journal/rows.ts";
import type { RunRow } from "../../src/ports/backend.ts";

/** Where the repository stood when this was recorded; errors name files of it. */
const here: string = join(import.meta.dirname, "../../../..");

/** All runs in a store of their own, as if the repository had stood in `/app`: journals do not tell whose they are. */
export async function moved(source: Backend): Promise<MemoryBackend> {
  await source.open("recorder");
  const backend = memory();
  await backend.open("recorder");
  for (const { id } of await inOrder(source)) {
    const { journal, chain } = await movedJournal(source, id);
    const row = { ...(await source.get(id))!, chain };
    const carried = row.thread === null ? [] : await allCarried(source, row.thread);
    await backend.restore({ row, journal, notes: await source.notes(id), carried, blobs: [] });
  }
  await source.close();
  return backend;
}

async function movedJournal(source: Backend, runId: string): Promise<{ journal: JournalRow[]; chain: number }> {
  const journal: JournalRow[] = [];
  let chain = 0;
  for await (const { firstSeq, count, bytes } of source.read(runId)) {
    const text = new TextEncoder().encode(new TextDecoder().decode(bytes).replaceAll(here, "/app"));
    chain = nextChain(chain, firstSeq, count, text);
    journal.push({ firstSeq, count, bytes: text, chain });
  }
  return { journal, chain };
}

/** Its runs as they were begun. */
export async function inOrder(backend: Backend): Promise<RunRow[]> {
  const age = ({ createdAt, carriedUpTo }: RunRow): number => createdAt + (carriedUpTo ?? 0) / 1_000;
  return (await backend.list({})).toSorted((a, b) => age(a) - age(b));
}
