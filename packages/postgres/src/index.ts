/** `@millrace/postgres`: runs in a PostgreSQL schema, for any number of processes on any number of machines. */
export {
  postgres,
  type PostgresBackend,
  type PostgresOptions,
  type PostgresServer,
  type PostgresSettings,
} from "./postgres.ts";
