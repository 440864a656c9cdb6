/** A server in a process of its own, with the given flags: says its URL on a line, and stops when its input ends. */
import { startServer } from "../support/server.ts";

const server = await startServer(process.argv.slice(2));
console.log(server.url);
process.stdin.resume();
process.stdin.once("end", () => void server.stop().then(() => process.exit(0)));
