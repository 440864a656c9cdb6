/** Holds the write lock of the database argv[2] until it is killed. */
import { DatabaseSync } from "node:sqlite";

const database = new DatabaseSync(process.argv[2] ?? "", { timeout: 5_000 });
database.exec("BEGIN EXCLUSIVE");
process.stdout.write("holding\n");
setInterval(() => {}, 60_000);
