import { errorOf } from "../../base/error.ts";
import type { Backend, RestoredRun, RunRow } from "../../ports/backend.ts";
import { readArchive } from "./read-archive.ts";

export interface ImportedRuns {
  /** Ids of the runs that were put back. */
  readonly imported: readonly string[];
  /** Ids of the runs that stood there already, with the same journal or one that goes on from it. */
  readonly present: readonly string[];
}

/**
 * Puts the runs of an archive into a backend. `lines` gives its lines from the first on, and is called twice: everything is
 * checked before anything is written. What stands is never changed. Each run comes in one transaction; nobody owns it, and
 * one that had not ended goes on where an engine has its graph. When it throws or its process dies, the runs that came before
 * stay: it can be called again with the same archive, also if they went on meanwhile, and puts back the others.
 *
 * @throws MillraceError `ArchiveDamaged`, `ArchiveTooNew`, `RunNotRestored`: another run with that id, or a thread that is
 * busy or has gone on otherwise.
 */
export async function importRuns(backend: Backend, lines: () => AsyncIterable<string>): Promise<ImportedRuns> {
  const present = new Set<string>();
  const looks = new Together();
  for await (const entry of readArchive(lines())) {
    if (entry.type !== "run") continue;
    const { row } = entry.run;
    await looks.add(0, async () => {
      const standing = await backend.get(row.id);
      if (standing === undefined) return;
      if (!(await isPresent(backend, standing, row))) throw differs(standing, row);
      present.add(row.id);
    });
  }
  await looks.done();
  const imported: string[] = [];
  const writes = new Together();
  for await (const entry of readArchive(lines())) {
    if (entry.type === "blob") {
      await backend.putBlob(entry.hash, entry.bytes);
    } else if (!present.has(entry.run.row.id)) {
      imported.push(entry.run.row.id);
      await writes.add(bytesOf(entry.run), () => restore(backend, entry.run));
    }
  }
  await writes.done();
  return { imported, present: [...present] };
}

const portion = 64;
const portionBytes = 4 * 1024 * 1024;

/** Some calls at once, so that backends can commit them together; no more than fit into memory whatever the runs are. */
class Together {
  #under: Promise<void>[] = [];
  #bytes = 0;

  /** Resolves when there is room for the next one. */
  async add(bytes: number, call: () => Promise<void>): Promise<void> {
    this.#under.push(call());
    this.#bytes += bytes;
    if (this.#under.length >= portion || this.#bytes >= portionBytes) await this.done();
  }

  async done(): Promise<void> {
    const under = this.#under;
    this.#under = [];
    this.#bytes = 0;
    // Nothing is under way any more when this throws.
    const failed = (await Promise.allSettled(under)).find((result) => result.status === "rejected");
    if (failed !== undefined) throw failed.reason;
  }
}

function bytesOf({ journal, notes, carried }: RestoredRun): number {
  return [...journal, ...notes, ...carried].reduce((sum, { bytes }) => sum + bytes.byteLength, 0);
}

/** It is that run, as it was archived or further on. The chain speaks for all bytes of the journal up to there. */
async function isPresent(backend: Backend, standing: RunRow, archived: RunRow): Promise<boolean> {
  const { id, lastSeq, chain } = archived;
  if (standing.graph !== archived.graph || standing.createdAt !== archived.createdAt) return false;
  if (standing.lastSeq === lastSeq) return standing.chain === chain && standing.fingerprint === archived.fingerprint;
  if (standing.lastSeq < lastSeq) return false;
  for await (const row of backend.read(id, lastSeq))
    return row.firstSeq + row.count - 1 === lastSeq && row.chain === chain;
  return false;
}

function differs(standing: RunRow, archived: RunRow): Error {
  const { id: runId, lastSeq: records, graph } = standing;
  return errorOf("RunNotRestored", { runId, records, graph, archived: archived.lastSeq });
}

async function restore(backend: Backend, run: RestoredRun): Promise<void> {
  const { id: runId, thread } = run.row;
  const result = await backend.restore(run);
  if (result.type === "exists" && !(await isPresent(backend, result.row, run.row))) throw differs(result.row, run.row);
  if (result.type === "busy")
    throw errorOf("RunNotRestored.busy", { runId, thread: thread ?? "", other: result.row.id });
  if (result.type === "carried") throw errorOf("RunNotRestored.carried", { runId, thread: thread ?? "", n: result.n });
}
