/** B1: no row comes back when the id is taken. The number that comes back is the run's in the journal. */
export const insertRun: string = `
INSERT INTO millrace_runs
  (id, graph, fingerprint, status, owner, epoch, attempts, last_seq, chain, created_at, updated_at)
VALUES (?1, ?2, ?3, 'running', ?4, 1, 0, ?5, ?6, ?7, ?7)
ON CONFLICT (id) DO NOTHING
RETURNING n`;
