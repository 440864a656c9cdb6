/** By what they are: how many rows belong to nothing. Blobs that no run names yet are none, for their row may be on its way. */
export const countOrphans: readonly (readonly [what: string, sql: string])[] = [
  ...(
    [
      ["rows of journals", "millrace_journal", "run"],
      ["notes", "millrace_notes", "run"],
      ["labels", "millrace_labels", "run"],
      ["names of blobs", "millrace_blob_refs", "run"],
    ] as const
  ).map(
    ([what, table, column]) =>
      [
        `${what} belong to no run`,
        `SELECT count(*) AS found FROM ${table} WHERE ${column} NOT IN (SELECT n FROM millrace_runs)`,
      ] as const,
  ),
  [
    "blobs that runs name are missing",
    `SELECT count(DISTINCT hash) AS found FROM millrace_blob_refs WHERE hash NOT IN (SELECT hash FROM millrace_blobs)`,
  ],
  [
    "blobs are counted that are not there",
    `SELECT count(*) AS found FROM millrace_blob_uses WHERE hash NOT IN (SELECT hash FROM millrace_blobs)`,
  ],
];
