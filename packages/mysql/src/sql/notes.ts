import type { Tables } from "./tables.ts";

const noteColumns =
  "note.n AS id, r.id AS runId, note.kind, note.name AS `key`, note.bytes, note.author AS `by`, note.at, note.handled";

export function selectNote({ runs, notes }: Tables): string {
  return `
SELECT ${noteColumns}
FROM ${runs} AS r JOIN ${notes} AS note ON note.run = r.n
WHERE r.id_key = ? AND note.kind = ? AND note.name_key = ?`;
}

/** Of one run, those that nobody handled, oldest first. */
export function selectNotes({ runs, notes }: Tables): string {
  return `
SELECT ${noteColumns}
FROM ${runs} AS r JOIN ${notes} AS note ON note.run = r.n
WHERE r.id_key = ? AND note.handled = 0
ORDER BY note.n`;
}

/** Of one run, handled or not, oldest first. */
export function selectAllNotes({ runs, notes }: Tables): string {
  return `
SELECT ${noteColumns}
FROM ${runs} AS r JOIN ${notes} AS note ON note.run = r.n
WHERE r.id_key = ?
ORDER BY note.n`;
}

/** The run's row counts those that nobody handled. */
export function restoreNote({ notes }: Tables): string {
  return `
INSERT INTO ${notes} (run, kind, name, name_key, bytes, author, at, handled) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`;
}

export function selectArrivals({ runs }: Tables): string {
  return `
SELECT id FROM ${runs} WHERE owner_n = ? AND unhandled > 0 LIMIT ?`;
}
