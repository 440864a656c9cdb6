import { CliFailure } from "../errors/failure.ts";
import { ExitCode } from "../exit.ts";
import { namespaceText } from "./namespace.ts";

export function entryNotFound(namespace: readonly string[], key: string, db: string, invokedAs: string): CliFailure {
  const where = namespaceText(namespace);
  return new CliFailure("EntryNotFound", `there is no entry ${JSON.stringify(key)} of ${where} in ${db}`, {
    exit: ExitCode.notFound,
    hint: `${invokedAs} store search ${where.startsWith("[") ? `'${where}'` : where} --db ${db} lists what is there`,
  });
}
