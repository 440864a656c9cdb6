/**
 * Version 2: what callers mark runs with. The row has the labels as JSON, to be read with it; the table has them once more
 * in the order in which they are looked for.
 */
export const schema2 = `
ALTER TABLE millrace_runs ADD COLUMN trace_id TEXT;
ALTER TABLE millrace_runs ADD COLUMN labels TEXT;
CREATE TABLE millrace_labels (
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  run INTEGER NOT NULL,
  PRIMARY KEY (key, value, run)
) WITHOUT ROWID;
`;
