/** Whether a journal that is long already costs more to write on. */
import { join } from "node:path";
import type { Append, Backend } from "@millrace/core";
import { sqlite } from "@millrace/core/node";
import type { Figure } from "../harness/figure.ts";
import { effort, measurePairs, timesOf, type Side } from "../harness/pairs.ts";

const late = 100_000;
const early = 100;
const bytes = new TextEncoder().encode(`[${JSON.stringify([1, 3, 0, { text: "x".repeat(150) }])}]`);

/** Appends one record after the other, each when the last one is durable. */
async function appendMany(backend: Backend, runId: string, from: number, count: number): Promise<void> {
  for (let seq = from; seq < from + count; seq++) await backend.append(appendOf(runId, seq));
}

function appendOf(runId: string, firstSeq: number, count = 1): Append {
  return { runId, epoch: 1, row: { firstSeq, count, bytes, chain: 0 }, at: firstSeq };
}

async function runOf(backend: Backend, id: string, length: number): Promise<void> {
  const first = { firstSeq: 1, count: 1, bytes, chain: 0 };
  await backend.create({ id, graph: "g", fingerprint: "f", createdAt: 1, first });
  const pending: Promise<unknown>[] = [];
  for (let seq = 2; seq <= length; seq++) {
    pending.push(backend.append(appendOf(id, seq)));
    if (pending.length === 2_000) await Promise.all(pending.splice(0));
  }
  await Promise.all(pending);
}

export const appendLate: Figure = {
  name: "append-late",
  title: "time of one durable append to a run of 100,000 records, SQLite at synchronous=OFF",
  unit: "ms",
  limits: [{ of: "ratio", atMost: 1.2 }],
  floor: "the same to a run of 100 records in the same file",
  blind: "the disk's flush, which costs both the same",
  durable: true,
  async measure(settings) {
    const { folder, quick } = settings;
    const backend = sqlite(join(folder, "late.db"), { synchronous: "off" });
    await backend.open("bench");
    const length = quick ? 5_000 : late;
    await runOf(backend, "late", length);
    const appends = 200;
    let lateSeq = length + 1;
    let runs = 0;
    const ours: Side = {
      units: appends,
      prepare: async () => undefined,
      async run() {
        await appendMany(backend, "late", lateSeq, appends);
        lateSeq += appends;
      },
    };
    const floor: Side = {
      units: appends,
      prepare: () => runOf(backend, `early-${++runs}`, early),
      run: () => appendMany(backend, `early-${runs}`, early + 1, appends),
    };
    const pairs = await measurePairs(ours, floor, effort(settings, { repeats: 15 }));
    await backend.close();
    return { ...timesOf(pairs, 1e6), notes: [`${appends} appends a repeat, one after the other`] };
  },
};
