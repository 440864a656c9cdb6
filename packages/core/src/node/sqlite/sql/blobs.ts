export const hasBlob: string = `
SELECT 1 FROM millrace_blobs WHERE hash = ?`;

export const insertBlob: string = `
INSERT INTO millrace_blobs (hash, bytes) VALUES (?, ?)`;

export const selectBlob: string = `
SELECT bytes FROM millrace_blobs WHERE hash = ?`;

/** Whoever stores a blob, all runs that name it will be known. */
export const insertBlobUse: string = `
INSERT INTO millrace_blob_uses (hash, stored_at) VALUES (?, ?)`;

/** Nothing happens to a blob of which not all runs that name it are known. */
export const renewBlobUse: string = `
UPDATE millrace_blob_uses SET stored_at = ? WHERE hash = ?`;

/** The last value is the run's number. */
export const insertBlobRef: string = `
INSERT INTO millrace_blob_refs (hash, run) VALUES (?, ?) ON CONFLICT (hash, run) DO NOTHING`;

export const nameBlob: string = `
UPDATE millrace_blob_uses SET named = 1 WHERE hash = ? AND named = 0`;
