import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

/** A server that a process of its own starts and stops, whatever becomes of this one: it ends with its input. */
export async function startServerProcess(
  program: string,
  flags: readonly string[] = [],
): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const child = spawn(process.execPath, [program, ...flags], { stdio: ["pipe", "pipe", "inherit"] });
  const ended = once(child, "exit");
  const [url] = (await Promise.race([once(createInterface(child.stdout), "line"), ended])) as [unknown];
  if (typeof url !== "string") throw new Error("the server of the tests did not start; see above");
  return {
    url,
    async stop() {
      child.stdin.end();
      await ended;
    },
  };
}
