import { Argument, type Command } from "commander";
import { writeData } from "../cli.ts";
import { ExitCode, exitCodeHelp } from "../exit.ts";
import { toJson } from "../format/json.ts";
import { entryNotFound } from "../store/entry-not-found.ts";
import { itemDocument } from "../store/item-document.ts";
import { parseNamespace } from "../store/namespace.ts";
import { withEntries } from "../store/with-entries.ts";
import type { CommandHost } from "./host.ts";
import { dbOption } from "./run-options.ts";

interface Options {
  readonly db: string;
  readonly json?: true;
}

const examples = `
Examples:
  $ millrace store get users/ann profile --db runs.db
  $ millrace store get users/ann profile --db runs.db | jq -r .language
  $ millrace store get '["docs","a/b"]' summary --json --db runs.db

Prints the value as JSON. Like any get it lets an entry live on that asked for it.
${exitCodeHelp}`;

export function addStoreGetCommand(store: Command, host: CommandHost): void {
  store
    .command("get")
    .summary("print an entry")
    .description("Prints the value of an entry.")
    .addArgument(new Argument("<namespace>", "such as users/ann").argParser(parseNamespace))
    .argument("<key>", "key of the entry")
    .addOption(dbOption("SQLite file that keeps the store"))
    .option("--json", "print one JSON document about the entry instead of its value")
    .addHelpText("after", examples)
    .action(host.action((namespace: string[], key: string, options: Options) => get(host, namespace, key, options)));
}

async function get({ cli, end }: CommandHost, namespace: string[], key: string, options: Options): Promise<ExitCode> {
  end.doing("the entry was read");
  const item = await withEntries(options.db, cli.cwd, (store) => store.get(namespace, key));
  if (item === undefined) throw entryNotFound(namespace, key, options.db, cli.invokedAs);
  await writeData(cli, toJson(options.json === true ? itemDocument(item) : item.value, 2));
  return ExitCode.ok;
}
