import { openSync, writeSync } from "node:fs";
import type { NodeEvent, Observer } from "millrace";
import { inbox } from "../graph.ts";

/**
 * Which bodies really ran, as a witness outside the engine's journal: one unbuffered line when a body starts and one
 * when it ends, which outlive a SIGKILL like every write that has returned. A resumed process also notes what the
 * journal told it had finished. `bodies.ts` reads it.
 */
export function bodyLog(file: string): Observer {
  const fd = openSync(file, "a", 0o600);
  const ops = new Set(inbox.plan.toJSON().nodes.flatMap(({ id, kind }) => (kind === "op" ? [id] : [])));
  const note = (what: "start" | "end" | "journaled", { node, path }: NodeEvent): void => {
    if (ops.has(node)) writeSync(fd, `${what} ${node} ${path}\n`);
  };
  const over = (event: NodeEvent): void => note(event.replayed ? "journaled" : "end", event);
  return {
    attemptStarted(event) {
      if (!event.replayed) note("start", event);
    },
    finished: over,
    attemptFailed(event) {
      if (event.retryInMs === null) over(event);
    },
  };
}
