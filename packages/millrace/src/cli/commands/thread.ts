import type { Command } from "commander";
import type { CommandHost } from "./host.ts";
import { addThreadDeleteCommand } from "./thread-delete.ts";

const examples = `
Examples:
  $ millrace thread delete customer-17 --db runs.db`;

export function addThreadCommand(program: Command, host: CommandHost): void {
  const command = program
    .command("thread")
    .summary("look after threads: delete")
    .description("Looks after threads, the ordered runs that carry state.")
    .addHelpText("after", examples);
  addThreadDeleteCommand(command, host);
}
