/** Runs tasks that come as lines of JSON, and says as lines of JSON what becomes of them. */
import { createInterface } from "node:readline";
import { taskRunner, type TaskRequest } from "../../../src/index.ts";
import { far } from "../support/far-graph.ts";

type Asked = { readonly id: number } & ({ readonly request: TaskRequest } | { readonly abort: true });

const runner = taskRunner([far]);
const running = new Map<number, AbortController>();

function say(id: number, what: object): void {
  process.stdout.write(`${JSON.stringify({ id, ...what })}\n`);
}

async function run(id: number, request: TaskRequest): Promise<void> {
  const wanted = new AbortController();
  running.set(id, wanted);
  say(id, { started: true });
  try {
    say(id, { outcome: await runner.run(request, { signal: wanted.signal, tell: (told) => say(id, { told }) }) });
  } catch (error) {
    say(id, { error: error instanceof Error ? error.message : String(error) });
  }
  running.delete(id);
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const asked = JSON.parse(line) as Asked;
  if ("abort" in asked) running.get(asked.id)?.abort();
  else void run(asked.id, asked.request);
});
