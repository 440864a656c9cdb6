import { mkdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";

/** Where the demo keeps what. */
export interface Folder {
  readonly dir: string;
  readonly database: string;
  /** Every body that starts leaves a line here, one file per process. */
  readonly logs: { readonly first: string; readonly second: string; readonly uninterrupted: string };
  /** `report.json` and `report.html` of the durable run are in `dir` itself. */
  readonly uninterrupted: string;
}

export function folderAt(dir: string): Folder {
  return {
    dir,
    database: join(dir, "inbox.db"),
    logs: {
      first: join(dir, "bodies-1.log"),
      second: join(dir, "bodies-2.log"),
      uninterrupted: join(dir, "bodies-uninterrupted.log"),
    },
    uninterrupted: join(dir, "uninterrupted"),
  };
}

/** Removes what an earlier demo left, by name: the folder may be the user's own. */
export function makeFresh({ dir, database, logs, uninterrupted }: Folder): void {
  mkdirSync(dir, { recursive: true });
  const files = ["", "-wal", "-shm", "-owners"].map((suffix) => database + suffix);
  const reports = ["report.json", "report.html"].map((name) => join(dir, name));
  for (const path of [...files, ...reports, ...Object.values(logs), uninterrupted]) {
    rmSync(path, { recursive: true, force: true });
  }
}

/** Bytes of the database with what has not been moved from its log into the file yet. */
export function databaseBytes({ database }: Folder): number {
  const size = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  return size(database) + size(`${database}-wal`);
}
