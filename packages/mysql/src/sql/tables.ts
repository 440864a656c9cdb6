import { hexKeyOf } from "../keys.ts";

/** Names of one prefix. It has passed `prefixPattern`, and is quoted all the same. */
export interface Tables {
  readonly schemaVersion: string;
  readonly owners: string;
  readonly sessions: string;
  readonly runs: string;
  readonly labels: string;
  readonly journal: string;
  readonly notes: string;
  readonly carried: string;
  readonly blobs: string;
  readonly blobRefs: string;
  readonly entries: string;
  readonly hints: string;
  readonly prefix: string;
}

/** A letter or an underscore first, in lower case; short enough for every name that begins with it. */
export const prefixPattern: RegExp = /^[a-z_][a-z0-9_]{0,31}$/;

export function tablesOf(prefix: string): Tables {
  const named = (table: string): string => `\`${prefix}${table}\``;
  return {
    schemaVersion: named("schema_version"),
    owners: named("owners"),
    sessions: named("sessions"),
    runs: named("runs"),
    labels: named("labels"),
    journal: named("journal"),
    notes: named("notes"),
    carried: named("carried"),
    blobs: named("blobs"),
    blobRefs: named("blob_refs"),
    entries: named("entries"),
    hints: named("hints"),
    prefix,
  };
}

/** Named locks belong to a whole server and are 64 characters long at most: the beginning of all of one prefix. */
export function lockScope(database: string, prefix: string): string {
  return `millrace:${hexKeyOf(`${database}\0${prefix}`).slice(0, 16)}`;
}
