import { postgres, type PostgresBackend, type PostgresOptions } from "@millrace/postgres";
import { inject, onTestFinished } from "vitest";

/** Open, and closed with the test. */
export async function opened(
  owner: string,
  options: PostgresOptions,
  url: string = inject("postgresUrl"),
): Promise<PostgresBackend> {
  const backend = postgres(url, options);
  await backend.open(owner);
  onTestFinished(() => backend.close());
  return backend;
}
