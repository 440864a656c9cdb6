/** The last value is the run's number, not its id. */
export const insertLabel: string = `
INSERT INTO millrace_labels (key, value, run) VALUES (?, ?, ?)`;
