import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { TraceSink } from "../../ports/trace.ts";
import { sqliteTraces, type SqliteTracesOptions } from "./sqlite-traces.ts";

const marks = [".millrace", "millrace.config.ts", "millrace.config.js", "package.json"];

/** Where the traces of the project around `from` are: `.millrace/traces.db` of the nearest folder that is a project. */
export function projectTracesFile(from: string = process.cwd()): string {
  const start = resolve(from);
  for (let folder = start; ; folder = dirname(folder)) {
    if (marks.some((mark) => existsSync(join(folder, mark)))) return join(folder, ".millrace", "traces.db");
    if (folder === dirname(folder)) return join(start, ".millrace", "traces.db");
  }
}

/** Traces in the project's own folder, where `millrace show --trace` finds them; the command line traces there by itself. */
export function projectTraces(options: SqliteTracesOptions & { readonly from?: string } = {}): TraceSink {
  return sqliteTraces(projectTracesFile(options.from), options);
}
