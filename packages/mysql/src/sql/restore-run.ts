import type { Tables } from "./tables.ts";

/** B12: a run that nobody owns; what else belongs to it follows in the same transaction. */
export function restoreRun({ runs }: Tables): string {
  return `
INSERT INTO ${runs} (id, id_key, graph, graph_key, fingerprint, status, epoch, attempts, last_seq, chain, wake_at, created_at,
  updated_at, ended_at, trace_id, labels, thread, thread_key, carried_up_to, unhandled, claimed_at, claimed_seq)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
}

export function restoreLabels({ labels }: Tables): string {
  return `
INSERT INTO ${labels} (label_key, run)
SELECT UNHEX(given.hex), ? FROM JSON_TABLE(?, '$[*]' COLUMNS (hex CHAR(64) PATH '$')) AS given`;
}

export function restoreBlobRefs({ blobRefs }: Tables): string {
  return `
INSERT INTO ${blobRefs} (hash_key, run)
SELECT DISTINCT UNHEX(given.hex), ? FROM JSON_TABLE(?, '$[*]' COLUMNS (hex CHAR(64) PATH '$')) AS given`;
}

/** Rows of the journal of a run: its number, a list for each row, the bytes of all, end to end. */
export function restoreJournal({ journal }: Tables): string {
  return `
INSERT INTO ${journal} (run, first_seq, count, chain, size, bytes) VALUES (?, ?, ?, ?, ?, ?)`;
}

/** The last word on a restored run: when it ended, if it has. */
export function settleRestored({ runs }: Tables): string {
  return `
UPDATE ${runs} SET ended_at = ? WHERE n = ?`;
}
