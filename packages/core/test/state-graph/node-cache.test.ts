import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { append, stateGraph, type StateGraph, type Step, type Steps } from "../../src/index.ts";
import { sqliteCache } from "../../src/node/index.ts";
import { open } from "../acceptance/support/engines.ts";
import { folder } from "./support/places.ts";

type Log = StateGraph<{ readonly log: string[] }, { readonly log?: string }>;
type Body = (state: unknown, to: Steps<{ readonly log?: string }, "work">) => Step;

function cached(body: Body): Log {
  return stateGraph("cached", { state: { log: append<string>() }, nodes: ["work"] })
    .node("work", body, { cache: { ttl: "1h" } })
    .compile();
}

test("another text of a node's body is another key of its cache, and the same text is the same", async () => {
  let entered = 0;
  const first: Body = (_state, to) => {
    entered++;
    return to.write({ log: "first" });
  };
  const second: Body = (_state, to) => {
    entered++;
    return to.write({ log: "second" });
  };
  const cache = sqliteCache(join(folder(), "cache.db"));
  onTestFinished(() => cache[Symbol.dispose]());
  const outputs: unknown[] = [];
  for (const body of [first, first, second, first]) {
    const engine = await open({ cache });
    outputs.push(await engine.run(cached(body), {}));
  }
  expect(outputs).toEqual(["first", "first", "second", "first"].map((log) => ({ log: [log] })));
  expect(entered).toBe(2);
});
