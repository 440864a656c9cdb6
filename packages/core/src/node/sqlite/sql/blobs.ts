export const insertBlob: string = `
INSERT INTO millrace_blobs (hash, bytes) VALUES (?1, ?2) ON CONFLICT (hash) DO NOTHING`;

export const selectBlob: string = `
SELECT bytes FROM millrace_blobs WHERE hash = ?1`;
