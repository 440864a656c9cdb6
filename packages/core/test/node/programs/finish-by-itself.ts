/** Opens the database argv[2], starts work, and does not close: must live until the work is done, and then end. */
import { sqlite } from "../../../src/node/index.ts";

const backend = sqlite(process.argv[2] ?? "");
const first = { firstSeq: 1, count: 1, bytes: new Uint8Array(10), chain: 1 };
await backend.open("a");
void backend
  .create({ id: "r", graph: "g", fingerprint: "f", createdAt: 1, first })
  .then(() => process.stdout.write("stored\n"));
