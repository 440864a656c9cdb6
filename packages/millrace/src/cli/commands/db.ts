import type { Command } from "commander";
import { addDbCompactCommand } from "./db-compact.ts";
import { addDbFsckCommand } from "./db-fsck.ts";
import { addDbMigrateCommand } from "./db-migrate.ts";
import { addDbPruneCommand } from "./db-prune.ts";
import { addDbRestoredCommand } from "./db-restored.ts";
import { addDbStatsCommand } from "./db-stats.ts";
import { addDbVacuumCommand } from "./db-vacuum.ts";
import type { CommandHost } from "./host.ts";

const examples = `
Examples:
  $ millrace db stats --db runs.db
  $ millrace db prune --older-than 30d --dry-run --db runs.db
  $ millrace db fsck --db runs.db
  $ millrace db restored --db runs.db`;

export function addDbCommand(program: Command, host: CommandHost): void {
  const command = program
    .command("db")
    .summary("look after a database: stats, prune, compact, migrate, fsck, vacuum, restored")
    .description("Looks after a database. Engines may go on using it meanwhile.")
    .addHelpText("after", examples);
  for (const add of [
    addDbStatsCommand,
    addDbPruneCommand,
    addDbCompactCommand,
    addDbMigrateCommand,
    addDbFsckCommand,
    addDbVacuumCommand,
    addDbRestoredCommand,
  ])
    add(command, host);
}
