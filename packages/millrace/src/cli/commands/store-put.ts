import { Argument, type Command } from "commander";
import { say, writeData } from "../cli.ts";
import { ExitCode, exitCodeHelp } from "../exit.ts";
import { toJson } from "../format/json.ts";
import { isoTime } from "../format/time.ts";
import { readInput } from "../input/read-input.ts";
import { itemDocument } from "../store/item-document.ts";
import { namespaceText, parseNamespace } from "../store/namespace.ts";
import { withEntries } from "../store/with-entries.ts";
import { durationOption } from "./filter-options.ts";
import type { CommandHost } from "./host.ts";
import { dbOption } from "./run-options.ts";

interface Options {
  readonly db: string;
  readonly ttl?: number;
  readonly refresh?: true;
  readonly json?: true;
}

const examples = `
Examples:
  $ millrace store put users/ann profile '{"language":"de"}' --db runs.db
  $ millrace store put users/ann profile @profile.json --ttl 30d --refresh --db runs.db
  $ jq -c .profile ann.json | millrace store put users/ann profile - --db runs.db

Puts the value there, whatever was there before: also when it expired.
${exitCodeHelp}`;

export function addStorePutCommand(store: Command, host: CommandHost): void {
  store
    .command("put")
    .summary("put a value there")
    .description("Puts a value into the store, in the place of what was there.")
    .addArgument(new Argument("<namespace>", "such as users/ann").argParser(parseNamespace))
    .argument("<key>", "key of the entry")
    .argument("<value>", "the value as JSON, @file to read it from a file, - from standard input")
    .addOption(durationOption("--ttl <duration>", "how long it lives: 30s, 12h, 30d (default: until it is deleted)"))
    .option("--refresh", "with --ttl: each get lets it live for the whole time again")
    .addOption(dbOption("SQLite file that keeps the store, created if it is missing"))
    .option("--json", "print one JSON document about the entry")
    .addHelpText("after", examples)
    .action(
      host.action((namespace: string[], key: string, value: string, options: Options) =>
        put(host, { namespace, key, value }, options),
      ),
    );
}

interface Given {
  readonly namespace: string[];
  readonly key: string;
  readonly value: string;
}

async function put({ cli, end }: CommandHost, { namespace, key, value }: Given, options: Options): Promise<ExitCode> {
  end.doing("the value was read");
  const { ttl, refresh } = options;
  const read = await readInput(value, cli, { name: "value", option: "the command line", file: "@file.json" });
  end.doing("the value was put");
  const lifetime = { ...(ttl !== undefined && { ttl }), ...(refresh === true && { refresh }) };
  const item = await withEntries(
    options.db,
    cli.cwd,
    async (store) => {
      await store.put(namespace, key, read, lifetime);
      return store.get(namespace, key);
    },
    true,
  );
  if (options.json === true && item !== undefined) await writeData(cli, toJson(itemDocument(item), 2));
  else say(cli, `put ${namespaceText(namespace)} ${JSON.stringify(key)}${untilText(item?.expiresAt)}`);
  return ExitCode.ok;
}

function untilText(expiresAt: number | undefined): string {
  return expiresAt === undefined ? "" : `, until ${isoTime(expiresAt)}`;
}
