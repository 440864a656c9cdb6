/** The first value is the run's number, not its id. */
export const insertJournalRow: string = `
INSERT INTO millrace_journal (run, first_seq, count, chain, bytes) VALUES (?, ?, ?, ?, ?)`;
