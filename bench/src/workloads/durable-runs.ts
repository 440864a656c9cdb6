/** Concurrent durable runs of a chain on SQLite, and the bare writes of the same journal. */
import { join } from "node:path";
import { openEngine, type Engine, type EngineOptions, type Graph } from "@millrace/core";
import { sqlite, type SqliteOptions } from "@millrace/core/node";
import type { Settings } from "../harness/figure.ts";
import type { Side } from "../harness/pairs.ts";
import { recordCount, recorded, rewrite, rowBytes, type Journal } from "./recorded-backend.ts";
import type { Step } from "./step.ts";

export interface DurableRuns {
  readonly runs: number;
  readonly chain: Graph<Step, Step>;
  readonly sqlite: SqliteOptions;
  readonly durability: NonNullable<EngineOptions["durability"]>;
}

export interface DurableSides {
  readonly ours: Side;
  readonly floor: Side;
  readonly records: number;
  readonly notes: readonly string[];
}

/** Both sides, per `units` of each. A rehearsal gives the floor what to write, and both their commit sizes. */
export async function durableSides(
  settings: Settings,
  work: DurableRuns,
  unitsOf: (records: number) => number,
): Promise<DurableSides> {
  const fresh = freshFiles(settings.folder);
  const written = await rehearse(work, fresh());
  const rewritten = recorded(sqlite(fresh(), work.sqlite));
  await rewritten.backend.open("bench");
  await rewrite(rewritten.backend, written);
  await rewritten.backend.close();
  const records = recordCount(written);
  const units = unitsOf(records);
  return {
    ours: oursOf(work, fresh, units),
    floor: floorOf(work, fresh, units, written),
    records,
    notes: [
      `rows per commit: ours ${written.commits.rowsPerCommit.toFixed(1)}, floor ${rewritten.journal.commits.rowsPerCommit.toFixed(1)}`,
      `${records} records, ${(records / written.commits.rows).toFixed(2)} per row of ${(rowBytes(written) / written.commits.rows).toFixed(0)} B`,
    ],
  };
}

function freshFiles(folder: string): () => string {
  let files = 0;
  return () => join(folder, `run-${files++}.db`);
}

async function rehearse(work: DurableRuns, file: string): Promise<Journal> {
  const { backend, journal } = recorded(sqlite(file, work.sqlite));
  const engine = await openEngine({ backend, durability: work.durability });
  await runAll(engine, work);
  await engine.close();
  return journal;
}

async function runAll(engine: Engine, { runs, chain }: DurableRuns): Promise<void> {
  await Promise.all(Array.from({ length: runs }, () => engine.run(chain, { x: 0 })));
}

function oursOf(work: DurableRuns, fresh: () => string, units: number): Side {
  let engine: Engine | undefined;
  return {
    units,
    async prepare() {
      engine = await openEngine({ backend: sqlite(fresh(), work.sqlite), durability: work.durability });
    },
    run: () => engine !== undefined && runAll(engine, work),
    async finish() {
      await engine?.close();
    },
  };
}

function floorOf(work: DurableRuns, fresh: () => string, units: number, written: Journal): Side {
  let backend = sqlite(fresh(), work.sqlite);
  return {
    units,
    async prepare() {
      backend = sqlite(fresh(), work.sqlite);
      await backend.open("bench");
    },
    run: () => rewrite(backend, written),
    async finish() {
      await backend.close();
    },
  };
}
