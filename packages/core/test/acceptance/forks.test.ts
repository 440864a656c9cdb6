import { describe, expect, test } from "vitest";
import {
  collect,
  each,
  graph,
  interrupt,
  loop,
  memory,
  op,
  type Engine,
  type EngineOptions,
  type HistoryEntry,
  type Ref,
  type Runnable,
} from "../../src/index.ts";
import { checkInvariants } from "../../src/state/invariants.ts";
import { open } from "./support/engines.ts";
import { recordingOf } from "./support/journal.ts";

/** What bodies did, in order. */
let did: string[] = [];

const plan = op("plan", ({ topic }: { topic: string }) => {
  did.push(`plan ${topic}`);
  return { urls: [`${topic}/a`, `${topic}/b`, `${topic}/c`] };
});
const fetchPage = op("fetchPage", async ({ url }: { url: string }) => {
  await Promise.resolve();
  did.push(`fetch ${url}`);
  return { html: `<${url}>` };
});
const extract = op("extract", async ({ html }: { html: string }) => {
  await Promise.resolve();
  did.push(`extract ${html}`);
  return { fact: html.toUpperCase() };
});
const summarize = op("summarize", ({ facts }: { facts: string[] }) => {
  did.push(`summarize ${facts.join()}`);
  return { text: facts.join("+") };
});
const note = op("note", ({ topic }: { topic: string }) => {
  did.push(`note ${topic}`);
  return { noted: topic };
});
const research = graph("research", (input: Ref<{ topic: string }>) => {
  const urls = plan({ topic: input.topic });
  const page = fetchPage({ url: each(urls.urls) });
  const facts = extract({ html: page.html });
  return { text: summarize({ facts: collect(facts.fact) }).text, noted: note({ topic: input.topic }).noted };
});

async function stage(graphs: readonly Runnable<never, unknown>[], options: EngineOptions = {}): Promise<Engine> {
  did = [];
  return open({ backend: memory(), graphs, check: checkInvariants, ...options });
}

async function historyOf(engine: Engine, runId: string): Promise<HistoryEntry[]> {
  return Array.fromAsync(engine.history(runId));
}

describe("R15 only what is downstream of the patch runs again", () => {
  test("P5.2 of one item only that item's, and what collects the items", async () => {
    const engine = await stage([research]);
    await engine.run(research, { topic: "t" }, { id: "origin" });
    const before = await historyOf(engine, "origin");
    did = [];
    const fork = await engine.fork("origin", { patch: { outputs: { "research/plan.urls[1]/fetchPage": { html: "<x>" } } } });
    expect(fork.runId).not.toBe("origin");
    expect(await fork.output()).toEqual({ text: "<T/A>+<X>+<T/C>", noted: "t" });
    expect(did).toEqual(["extract <x>", "summarize <T/A>,<X>,<T/C>"]);
    expect(await historyOf(engine, "origin")).toEqual(before);
    const info = await engine.get(fork.runId);
    expect(info?.forkedFrom).toEqual({
      runId: "origin",
      seq: before.length,
      patch: { outputs: { "research/plan.urls[1]/fetchPage": { html: "<x>" } } },
    });
  });
});
