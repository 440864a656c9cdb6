import type { Command } from "commander";
import type { CommandHost } from "./host.ts";
import { addStoreDeleteCommand } from "./store-delete.ts";
import { addStoreGetCommand } from "./store-get.ts";
import { addStorePutCommand } from "./store-put.ts";
import { addStoreSearchCommand } from "./store-search.ts";

const examples = `
Examples:
  $ millrace store put users/ann profile '{"language":"de"}' --ttl 30d --db runs.db
  $ millrace store get users/ann profile --db runs.db
  $ millrace store search users --filter '{"language":"de"}' --db runs.db
  $ millrace store delete users/ann profile --db runs.db

A namespace is written with slashes between its parts, users/ann; where a part holds one, as JSON: '["a/b","c"]'.`;

export function addStoreCommand(program: Command, host: CommandHost): void {
  const command = program
    .command("store")
    .summary("look into the memory that runs share: get, put, delete, search")
    .description("Reads and changes the memory that runs share. Engines may go on using it meanwhile.")
    .addHelpText("after", examples);
  for (const add of [addStoreGetCommand, addStorePutCommand, addStoreDeleteCommand, addStoreSearchCommand])
    add(command, host);
}
