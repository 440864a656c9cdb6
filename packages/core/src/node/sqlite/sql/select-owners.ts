/** Everybody else who is named as an owner. */
export const selectOwners: string = `
SELECT DISTINCT owner FROM millrace_runs WHERE owner IS NOT NULL AND owner <> ?`;
