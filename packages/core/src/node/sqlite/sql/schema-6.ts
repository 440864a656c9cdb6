/** Version 6: the runs of a thread in their order (B16), so that the newest is found without looking at the others. */
export const schema6 = `
CREATE INDEX millrace_runs_order ON millrace_runs (thread, carried_up_to) WHERE thread IS NOT NULL;
`;
