/** Version 4: where the last snapshot of a run stands. A process of the version before writes none, and needs none. */
export const schema4 = `
ALTER TABLE millrace_runs ADD COLUMN snapshot_seq INTEGER NOT NULL DEFAULT 0;
`;
