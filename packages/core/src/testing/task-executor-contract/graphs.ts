/** What executors of tasks are tried with: they find its nodes by name. */
import { appendFileSync } from "node:fs";
import { END } from "../../state-graph/names.ts";
import { last } from "../../build/reducers.ts";
import { stateGraph, type StateGraph } from "../../state-graph/state-graph.ts";

interface Read {
  readonly value?: unknown;
}

class Refusal extends Error {
  override readonly name = "Refusal";
  readonly code = "E_REFUSED";
}

/** Nodes are sent to, each with a state of its own. */
export const tried: StateGraph<{ readonly value: unknown }, { readonly value?: unknown }> = stateGraph("tried", {
  state: { value: last<unknown>(null) },
  nodes: ["echo", "tells", "refuses", "cancels", "ticks", "exits"],
})
  .node("echo", ({ value }: Read, to) => [to.write({ value }), to.goto(END)])
  .node("tells", async function* ({ value }: Read, to, run) {
    run.emit("first", value);
    yield 2;
    await Promise.resolve();
    yield 3;
    run.log.warn("told", { attempt: run.attempt });
    const { runId, thread, step, attempt, idempotencyKey } = run;
    return to.write({ value: { runId, thread, step, attempt, idempotencyKey } });
  })
  .node("refuses", () => {
    throw new Refusal("no");
  })
  .node("cancels", (_state, _to, run) => run.cancel())
  // Leaves a mark in a file every few milliseconds, until it is not wanted.
  .node("ticks", async ({ value }: Read, _to, run) => {
    while (!run.signal.aborted) {
      appendFileSync(String(value), ".");
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  })
  // Takes what it runs in down.
  .node("exits", () => process.exit(7))
  .entry("echo", "tells", "refuses", "cancels", "ticks", "exits")
  .compile();
