/** Opens the database argv[2] and creates one run; says how it went as JSON: `{}` or the error's code and message. */
import { MillraceError } from "../../../src/base/error.ts";
import { sqlite } from "../../../src/node/index.ts";

const backend = sqlite(process.argv[2] ?? "");
const first = { firstSeq: 1, count: 1, bytes: new Uint8Array(10), chain: 1 };
try {
  await backend.open("other");
  await backend.create({ id: "by-child", graph: "g", fingerprint: "f", createdAt: 1, first });
  process.stdout.write("{}");
} catch (error) {
  if (!(error instanceof MillraceError)) throw error;
  process.stdout.write(JSON.stringify({ code: error.code, message: error.message }));
} finally {
  await backend.close();
}
