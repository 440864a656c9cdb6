/** What a database held when its process died. Read from a copy: whoever opens the original first recovers its WAL. */
import { copyFileSync, existsSync, rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

export interface RunThen {
  readonly status: string;
  readonly epoch: number;
  readonly lastSeq: number;
  readonly chain: number;
}

export interface Snapshot {
  readonly integrity: string;
  readonly runs: ReadonlyMap<string, RunThen>;
}

export function snapshotOf(file: string): Snapshot {
  const copy = `${file}-copy`;
  for (const suffix of ["", "-wal"]) if (existsSync(file + suffix)) copyFileSync(file + suffix, copy + suffix);
  const database = new DatabaseSync(copy);
  try {
    return { integrity: integrityOf(database), runs: runsIn(database) };
  } finally {
    database.close();
    for (const suffix of ["", "-wal", "-shm"]) rmSync(copy + suffix, { force: true });
  }
}

function integrityOf(database: DatabaseSync): string {
  return database
    .prepare("PRAGMA integrity_check")
    .all()
    .map((row) => String(row["integrity_check"]))
    .join(", ");
}

/** A process killed very early leaves a database without tables. */
function runsIn(database: DatabaseSync): Map<string, RunThen> {
  const runs = new Map<string, RunThen>();
  const tables = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'millrace_runs'").all();
  if (tables.length === 0) return runs;
  for (const row of database.prepare("SELECT id, status, epoch, last_seq, chain FROM millrace_runs").all()) {
    runs.set(String(row["id"]), {
      status: String(row["status"]),
      epoch: Number(row["epoch"]),
      lastSeq: Number(row["last_seq"]),
      chain: Number(row["chain"]),
    });
  }
  return runs;
}
