/** Of a database whose process died. Read from a copy: whoever opens the original first recovers its WAL. */
import { copyFileSync, existsSync, rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

export function integrityOf(file: string): string {
  const copy = `${file}-copy`;
  for (const suffix of ["", "-wal"]) if (existsSync(file + suffix)) copyFileSync(file + suffix, copy + suffix);
  const database = new DatabaseSync(copy);
  try {
    const rows = database.prepare("PRAGMA integrity_check").all();
    return rows.map((row) => String(row["integrity_check"])).join(", ");
  } finally {
    database.close();
    for (const suffix of ["", "-wal", "-shm"]) rmSync(copy + suffix, { force: true });
  }
}
