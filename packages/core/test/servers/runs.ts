import type { Append, Backend, NewRun } from "../../src/ports/backend.ts";
import { rowOf } from "./row.ts";

export function newRun(id: string, changes: Partial<NewRun> = {}): NewRun {
  return { id, graph: "g", fingerprint: "f", createdAt: Date.now(), first: rowOf(1), ...changes };
}

export function appendOf(runId: string, seq: number, changes: Partial<Append> = {}): Append {
  return { runId, epoch: 1, row: rowOf(seq, `epoch ${changes.epoch ?? 1}`), at: Date.now(), ...changes };
}

export async function readAll(backend: Backend, id: string): Promise<{ seq: number; text: string }[]> {
  const rows = [];
  for await (const { firstSeq, bytes } of backend.read(id)) {
    rows.push({ seq: firstSeq, text: Buffer.from(bytes).toString() });
  }
  return rows;
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Waits for what must come, for at most so long. */
export async function eventually<Result>(
  what: string,
  ms: number,
  look: () => Promise<Result | undefined> | Result | undefined,
): Promise<Result> {
  const deadline = performance.now() + ms;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() > deadline) throw new Error(`not within ${ms} ms: ${what}`);
    await pause(20);
  }
}
