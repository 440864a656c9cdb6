/**
 * Opens the database argv[2] as argv[3], listens for hints and ends by itself, saying `done`. With argv[4] it first says
 * `watching`, and stays until a hint has come after which that run has a note.
 */
import { sqlite } from "../../../src/node/index.ts";

const [, , file = "", owner = "", runId] = process.argv;
const backend = sqlite(file);
let hint = Promise.withResolvers<void>();
backend.onHint(() => hint.resolve());
await backend.open(owner);
if (runId !== undefined) {
  process.stdout.write("watching\n");
  const stay = setInterval(() => {}, 1_000);
  for (let found = 0; found === 0; found = (await backend.inbox(runId)).length) {
    await hint.promise;
    hint = Promise.withResolvers();
  }
  clearInterval(stay);
}
process.stdout.write("done\n");
