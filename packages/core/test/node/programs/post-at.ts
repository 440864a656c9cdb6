/**
 * Opens the database argv[2] as argv[3], says `ready`, and posts one answer for run argv[4] as soon as the file argv[5]
 * exists. Says the type of the result, and who posted the note that stands.
 */
import { existsSync } from "node:fs";
import { sqlite } from "../../../src/node/index.ts";

const [, , file = "", owner = "", runId = "", signal = ""] = process.argv;
const backend = sqlite(file);
await backend.open(owner);
process.stdout.write("ready\n");
while (!existsSync(signal)) await new Promise((resolve) => setImmediate(resolve));
const bytes = new TextEncoder().encode(owner);
const note = { runId, kind: "answer", key: "q", bytes, by: owner, at: 5, wakes: ["interrupted"] } as const;
const result = await backend.post(note);
process.stdout.write(`${result.type} ${result.type === "exists" ? result.note.by : owner}\n`);
await backend.close();
