/**
 * `tell-chat <file> <seq> <part> <name>`: starts a run, or goes on with it, and tells what a client is told that had read up to
 * there; dies by SIGKILL when it has told five things of that name.
 */
import { openEngine } from "../../../src/index.ts";
import { sqlite } from "../../../src/node/index.ts";
import { chat, chatInput } from "../support/chats.ts";

const [, , file = "", seq = "0", part = "0", last = ""] = process.argv;
const engine = await openEngine({ backend: sqlite(file, { busyTimeout: 30_000 }), graphs: [chat] });
const handle =
  engine.recovered[0] ??
  ((await engine.get("r")) === undefined ? await engine.start(chat, chatInput, { id: "r" }) : await engine.resume("r"));
const events = handle.stream("custom", { after: { seq: Number(seq), part: Number(part) } });
let left = 5;
for await (const event of events) {
  process.stdout.write(`${JSON.stringify(event)}\n`);
  if (event.node === last && event.reset !== true && --left === 0) process.kill(process.pid, "SIGKILL");
}
await engine.close();
