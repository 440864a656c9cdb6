export const insertBlob: string = `
INSERT INTO millrace_blobs (hash, bytes) VALUES (?, ?) ON CONFLICT (hash) DO NOTHING`;

export const selectBlob: string = `
SELECT bytes FROM millrace_blobs WHERE hash = ?`;
