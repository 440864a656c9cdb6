/** From a journal to a run that lives. */
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { openEngine, type Engine } from "@millrace/core";
import { sqlite } from "@millrace/core/node";
import type { Figure } from "../harness/figure.ts";
import { effort, measurePairs, numbersOf, timesOf, type Side } from "../harness/pairs.ts";
import { median } from "../harness/statistics.ts";
import {
  wideGraph,
  wideRunId,
  wideValues,
  width,
  writeWideJournal,
  type WideGraph,
} from "../workloads/wide-journal.ts";

const records = 100_000;

/** Each repeat resumes a copy of its own: a resume writes a record, too. */
function resuming(folder: string, journal: string, wide: WideGraph): Side {
  let repeats = 0;
  let engine: Engine | undefined;
  return {
    units: 1,
    async prepare() {
      const file = join(folder, `resume-${repeats++}.db`);
      copyFileSync(journal, file);
      engine = await openEngine({
        backend: sqlite(file),
        graphs: [wide.graph],
        recover: false,
        runConcurrency: width * 3,
      });
      wide.held.count = 0;
    },
    async run() {
      const handle = await engine?.resume(wideRunId);
      handle?.result().catch(() => undefined);
    },
    async finish() {
      // The bodies in flight begin once the record of the resume is durable.
      while (wide.held.count < width) await new Promise((resolve) => setTimeout(resolve, 5));
      await engine?.close();
    },
  };
}

/** The same with opening the database and its worker thread, as a restarted process does it. */
async function openings(folder: string, journal: string, wide: WideGraph, repeats: number): Promise<number[]> {
  const found: number[] = [];
  for (let i = 0; i < repeats; i++) {
    const file = join(folder, `open-${i}.db`);
    copyFileSync(journal, file);
    const started = performance.now();
    const engine = await openEngine({ backend: sqlite(file), graphs: [wide.graph], runConcurrency: width * 3 });
    found.push(performance.now() - started);
    for (const handle of engine.recovered) handle.result().catch(() => undefined);
    if (engine.recovered.length !== 1) throw new Error(`${engine.recovered.length} runs were taken over, and not 1`);
    await engine.close();
  }
  return found;
}

export const recover: Figure = {
  name: "recover-100k",
  title: "time from a process that starts to the live run: openEngine over a run that was killed at record 100,000",
  unit: "ms",
  limits: [{ of: "value", atMost: 1_000 }],
  floor: "openEngine over an empty database",
  blind: "starting Node and loading the graph; a cold disk cache",
  durable: true,
  async measure({ folder, quick }) {
    const journal = join(folder, "wide.db");
    const wide = wideGraph(records);
    await writeWideJournal(journal, wide);
    const repeats = quick ? 1 : 9;
    const ours = await openings(folder, journal, wide, repeats);
    const empty: number[] = [];
    for (let i = 0; i < repeats; i++) {
      const started = performance.now();
      const engine = await openEngine({ backend: sqlite(join(folder, `empty-${i}.db`)), graphs: [wide.graph] });
      empty.push(performance.now() - started);
      await engine.close();
    }
    return { ...numbersOf(ours, empty), notes: [`${records} records, ${width} bodies in flight`] };
  },
};

export const resume: Figure = {
  name: "resume-100k",
  title:
    "time from engine.resume to the live run, of a run with 100,000 records by a stream with parallel: 100, 100 bodies in flight",
  unit: "ms",
  limits: [{ of: "ratio", atMost: 3 }],
  floor: "JSON.parse of the 100,000 values of that journal, each a text of its own",
  blind: "opening the database (in the notes); the bodies in flight, which begin afterwards; a cold disk cache",
  durable: true,
  async measure(settings) {
    const { folder, quick } = settings;
    const journal = join(folder, "wide.db");
    const wide = wideGraph(records);
    await writeWideJournal(journal, wide);
    const texts = wideValues(wide);
    const ours = resuming(folder, journal, wide);
    const floor = {
      units: 1,
      prepare: async () => undefined,
      run: () => texts.map((text) => JSON.parse(text) as unknown).length,
    };
    const pairs = await measurePairs(ours, floor, effort(settings, { repeats: 11 }));
    const opened = await openings(folder, journal, wide, quick ? 1 : 5);
    const bytes = texts.reduce((sum, text) => sum + text.length, 0) / texts.length;
    return {
      ...timesOf(pairs, 1e6),
      notes: [`${texts.length} values of ${bytes.toFixed(0)} B`, `with openEngine: ${median(opened).toFixed(0)} ms`],
    };
  },
};
