/**
 * Every name of the database, qualified: `search_path` decides nothing. The schema's name has passed `schemaPattern`, and
 * is quoted all the same.
 */
export interface Tables {
  readonly schema: string;
  readonly schemaVersion: string;
  readonly owners: string;
  readonly runs: string;
  readonly labels: string;
  readonly journal: string;
  readonly notes: string;
  readonly carried: string;
  readonly blobs: string;
  readonly blobRefs: string;
  readonly entries: string;
  /** What engines listen to, as a literal. */
  readonly channel: string;
}

/** A letter or an underscore first, in lower case; as long as PostgreSQL keeps a name whole. */
export const schemaPattern: RegExp = /^[a-z_][a-z0-9_]{0,62}$/;

export function tablesOf(schema: string): Tables {
  const named = (table: string): string => `"${schema}".${table}`;
  return {
    schema: `"${schema}"`,
    schemaVersion: named("schema_version"),
    owners: named("owners"),
    runs: named("runs"),
    labels: named("labels"),
    journal: named("journal"),
    notes: named("notes"),
    carried: named("carried"),
    blobs: named("blobs"),
    blobRefs: named("blob_refs"),
    entries: named("entries"),
    channel: `'${schema}'`,
  };
}
