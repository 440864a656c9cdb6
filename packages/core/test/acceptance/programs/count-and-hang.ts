/** Counts to the first number, and hangs before the second. */
import { openEngine } from "../../../src/index.ts";
import { sqlite } from "../../../src/node/index.ts";
import { counting, pace } from "../support/counting.ts";

const [file = "", to = "", hangs = ""] = process.argv.slice(2);
pace.wait = async (n) => {
  if (n === Number(hangs)) await new Promise((resolve) => setTimeout(resolve, 1_000_000));
};
const engine = await openEngine({ backend: sqlite(file, { synchronous: "off" }), graphs: [counting] });
await engine.start(counting, { to: Number(to) }, { id: "run" });
console.log("started");
