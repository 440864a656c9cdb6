import { Argument, type Command } from "commander";
import { say, writeData } from "../cli.ts";
import { ExitCode, exitCodeHelp } from "../exit.ts";
import { toJson } from "../format/json.ts";
import { entryNotFound } from "../store/entry-not-found.ts";
import { itemDocument } from "../store/item-document.ts";
import { namespaceText, parseNamespace } from "../store/namespace.ts";
import { withEntries } from "../store/with-entries.ts";
import type { CommandHost } from "./host.ts";
import { dbOption } from "./run-options.ts";

interface Options {
  readonly db: string;
  readonly json?: true;
}

const examples = `
Examples:
  $ millrace store delete users/ann profile --db runs.db
  $ millrace store delete users/ann profile --json --db runs.db > ann-profile.json

--json prints what was deleted.
${exitCodeHelp}`;

export function addStoreDeleteCommand(store: Command, host: CommandHost): void {
  store
    .command("delete")
    .summary("take an entry away")
    .description("Takes an entry out of the store.")
    .addArgument(new Argument("<namespace>", "such as users/ann").argParser(parseNamespace))
    .argument("<key>", "key of the entry")
    .addOption(dbOption("SQLite file that keeps the store"))
    .option("--json", "print one JSON document about the entry as it was")
    .addHelpText("after", examples)
    .action(host.action((namespace: string[], key: string, options: Options) => remove(host, namespace, key, options)));
}

async function remove(
  { cli, end }: CommandHost,
  namespace: string[],
  key: string,
  options: Options,
): Promise<ExitCode> {
  end.doing("the entry was deleted");
  const item = await withEntries(options.db, cli.cwd, async (store) => {
    const standing = await store.get(namespace, key);
    await store.delete(namespace, key);
    return standing;
  });
  if (item === undefined) throw entryNotFound(namespace, key, options.db, cli.invokedAs);
  if (options.json === true) await writeData(cli, toJson(itemDocument(item), 2));
  else say(cli, `deleted ${namespaceText(namespace)} ${JSON.stringify(key)}`);
  return ExitCode.ok;
}
