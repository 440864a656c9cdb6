import type { Tables } from "./tables.ts";

export function selectStats({
  schema,
  runs,
  journal,
  blobs,
  entries,
  carried,
  notes,
  owners,
  schemaVersion,
}: Tables): string {
  return `
SELECT
  (SELECT coalesce(json_object_agg(status, count), '{}')
   FROM (SELECT status, count(*) FROM ${runs} GROUP BY status) AS per_status) AS runs,
  (SELECT count(*) FROM ${journal}) AS "journalRows",
  (SELECT coalesce(sum(octet_length(bytes)), 0)::bigint FROM ${journal}) AS "journalBytes",
  (SELECT count(*) FROM ${blobs}) AS blobs,
  (SELECT coalesce(sum(octet_length(bytes)), 0)::bigint FROM ${blobs}) AS "blobBytes",
  (SELECT count(*) FROM ${entries}) AS entries,
  (SELECT coalesce(sum(octet_length(bytes)), 0)::bigint FROM ${entries}) AS "entryBytes",
  (SELECT count(*) FROM ${notes} WHERE NOT handled) AS notes,
  (SELECT count(DISTINCT thread) FROM ${carried}) AS threads,
  (SELECT count(*) FROM ${owners} WHERE lease_until > clock_timestamp()) AS owners,
  (SELECT sum(pg_total_relation_size(oid))::bigint FROM pg_catalog.pg_class
   WHERE relnamespace = '${schema}'::regnamespace AND relkind = 'r') AS bytes,
  (SELECT max(version) FROM ${schemaVersion}) AS "schemaVersion"`;
}
