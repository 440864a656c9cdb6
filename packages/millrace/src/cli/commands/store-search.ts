import type { SearchOptions, StoreFilter, StoreItem } from "@millrace/core";
import { Argument, type Command } from "commander";
import { outPaint, say, writeData } from "../cli.ts";
import { ExitCode, exitCodeHelp } from "../exit.ts";
import { toJson } from "../format/json.ts";
import { count } from "../format/number.ts";
import { shortJson } from "../format/short-json.ts";
import type { Paint, Span } from "../format/style.ts";
import { table } from "../format/table.ts";
import { oneLine } from "../format/text.ts";
import { columnTime, timeZone } from "../format/time.ts";
import { readInput } from "../input/read-input.ts";
import { itemDocument } from "../store/item-document.ts";
import { namespaceText, parseNamespace } from "../store/namespace.ts";
import { withEntries } from "../store/with-entries.ts";
import { limitOption } from "./filter-options.ts";
import type { CommandHost } from "./host.ts";
import { dbOption } from "./run-options.ts";

interface Options {
  readonly db: string;
  readonly filter?: string;
  readonly query?: string;
  readonly limit: number;
  readonly json?: true;
}

const examples = `
Examples:
  $ millrace store search --db runs.db
  $ millrace store search users/ann --db runs.db
  $ millrace store search users --filter '{"language":"de","visits":{"$gte":3}}' --db runs.db
  $ millrace store search facts --query 'green tea' --limit 100 --json --db runs.db | jq -c '.items[].value'

Entries of the namespace and of all below it, in order; without one, of all. Every word of the query must be in some text of the
value. All times are UTC.
${exitCodeHelp}`;

export function addStoreSearchCommand(store: Command, host: CommandHost): void {
  store
    .command("search")
    .summary("list entries, by namespace, fields and words")
    .description("Lists entries of the store: of a namespace and all below it, by fields and by words.")
    .addArgument(
      new Argument("[prefix]", "where the namespaces begin, such as users (default: all)").argParser(parseNamespace),
    )
    .option("--filter <json>", "fields of the value and what they are, or @file: $eq $ne $gt $gte $lt $lte $in")
    .option("--query <words>", "words that are in texts of the value")
    .addOption(limitOption(20))
    .addOption(dbOption("SQLite file that keeps the store"))
    .option("--json", "print one JSON document")
    .addHelpText("after", examples)
    .action(host.action((prefix: string[] | undefined, options: Options) => search(host, prefix ?? [], options)));
}

async function search({ cli, end }: CommandHost, prefix: string[], options: Options): Promise<ExitCode> {
  end.doing("the entries were read");
  const { db, query, limit } = options;
  const filter = options.filter === undefined ? undefined : await readInput(options.filter, cli, filterOption);
  const asked = {
    ...(filter !== undefined && { filter: filter as StoreFilter }),
    ...(query !== undefined && { query }),
  };
  const found = await withEntries(db, cli.cwd, (store) => firstOf(store.search.bind(store), prefix, asked, limit + 1));
  const items = found.slice(0, limit);
  const more = found.length > items.length;
  if (options.json === true) {
    await writeData(cli, toJson({ items: items.map(itemDocument), more }, 2));
    return ExitCode.ok;
  }
  if (items.length === 0) say(cli, `no entries${prefix.length === 0 ? "" : ` of ${namespaceText(prefix)}`} in ${db}`);
  else await writeData(cli, tableOf(items, outPaint(cli)).join("\n"));
  if (more)
    say(cli, `more than ${count(limit)} entries; see others with --limit, a longer prefix, --filter or --query`);
  return ExitCode.ok;
}

const filterOption = { name: "filter", option: "--filter" };

type Search = (prefix: string[], options: SearchOptions) => Promise<StoreItem[]>;

/** One search gives a thousand items at most. */
async function firstOf(search: Search, prefix: string[], asked: SearchOptions, limit: number): Promise<StoreItem[]> {
  const found: StoreItem[] = [];
  while (found.length < limit) {
    const after = found.at(-1);
    const page = await search(prefix, {
      ...asked,
      limit: Math.min(limit - found.length, 1_000),
      ...(after !== undefined && { after }),
    });
    if (page.length === 0) break;
    found.push(...page);
  }
  return found;
}

const columns = [
  { title: "NAMESPACE" },
  { title: "KEY" },
  { title: `UPDATED (${timeZone})` },
  { title: `EXPIRES (${timeZone})` },
  { title: "VALUE" },
] as const;
const shortest = 60;

function tableOf(items: readonly StoreItem[], paint: Paint): string[] {
  const rows = items.map(({ namespace, key, updatedAt, expiresAt, value }): Span[] => [
    [namespaceText(namespace)],
    [oneLine(key)],
    [columnTime(updatedAt), "quiet"],
    [expiresAt === undefined ? "" : columnTime(expiresAt), "quiet"],
    [shortJson(value, shortest)],
  ]);
  return table(columns, rows, paint);
}
