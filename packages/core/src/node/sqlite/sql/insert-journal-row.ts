/** ?1 is the run's number, not its id. */
export const insertJournalRow: string = `
INSERT INTO millrace_journal (run, first_seq, count, chain, bytes) VALUES (?1, ?2, ?3, ?4, ?5)`;
