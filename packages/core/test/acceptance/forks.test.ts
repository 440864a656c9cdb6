import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  append,
  cell,
  collect,
  derive,
  each,
  graph,
  loop,
  memory,
  op,
  push,
  read,
  when,
  type Engine,
  type EngineOptions,
  type HistoryEntry,
  type Ref,
  type Runnable,
} from "../../src/index.ts";
import { checkInvariants } from "../../src/state/invariants.ts";
import { sqlite } from "../../src/node/index.ts";
import { open, resumedOn } from "./support/engines.ts";
import { folder } from "./support/files.ts";
import { crashedBehind, recordingOf } from "./support/journal.ts";
import { eventually, gate } from "./support/gate.ts";

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
const research = graph(
  "research",
  { input: z.object({ topic: z.string().trim() }) },
  (input: Ref<{ topic: string }>) => {
    const urls = plan({ topic: input.topic });
    const page = fetchPage({ url: each(urls.urls) });
    const facts = extract({ html: page.html });
    return { text: summarize({ facts: collect(facts.fact) }).text, noted: note({ topic: input.topic }).noted };
  },
);

async function stage(graphs: readonly Runnable<never, unknown>[], options: EngineOptions = {}): Promise<Engine> {
  did = [];
  return open({ backend: memory(), graphs, check: checkInvariants, ...options });
}

function historyOf(engine: Engine, runId: string): Promise<HistoryEntry[]> {
  return Array.fromAsync(engine.history(runId));
}

/** The record by which a node had given what it gives. */
async function outputOf(engine: Engine, runId: string, path: string): Promise<number> {
  const found = (await historyOf(engine, runId)).find((entry) => entry.path === path && entry.kind === "output");
  if (found === undefined) throw new Error(`there is no output at ${path}`);
  return found.seq;
}

describe("R15 P5.2 only what is downstream of the patch runs again", () => {
  test("another output of one item: that item's ops, and what collects the items", async () => {
    const engine = await stage([research]);
    await engine.run(research, { topic: "t" }, { id: "origin" });
    const before = await historyOf(engine, "origin");
    did = [];
    const patch = { outputs: { "research/plan.urls[1]/fetchPage": { html: "<x>" } } };
    const fork = await engine.fork("origin", { patch });
    expect(fork.runId).not.toBe("origin");
    expect(await fork.output()).toEqual({ text: "<T/A>+<X>+<T/C>", noted: "t" });
    expect(did).toEqual(["extract <x>", "summarize <T/A>,<X>,<T/C>"]);
    expect(await historyOf(engine, "origin")).toEqual(before);
    expect((await engine.get(fork.runId))?.forkedFrom).toEqual({ runId: "origin", seq: before.length, patch });
    const [start, ...rest] = await historyOf(engine, fork.runId);
    expect(start).toMatchObject({ kind: "started", value: { topic: "t" }, forkedFrom: { runId: "origin", patch } });
    // What both have is the same, record by record.
    const { seq: until } = before.find(
      ({ path, kind }) => path === "research/plan.urls[1]/fetchPage" && kind === "output",
    )!;
    expect(rest.slice(0, until - 2)).toEqual(before.slice(1, until - 1));
  });

  test("at the top a node may be named without its graph, and a stream's list is the op's output", async () => {
    const engine = await stage([research]);
    await engine.run(research, { topic: "t" }, { id: "origin" });
    did = [];
    const fork = await engine.fork("origin", { patch: { outputs: { plan: { urls: ["only"] } } } });
    expect(await fork.output()).toEqual({ text: "<ONLY>", noted: "t" });
    expect(did).toEqual(["fetch only", "extract <only>", "summarize <ONLY>"]);
  });

  test("another input: everything that reads it, checked by the graph's schema", async () => {
    const engine = await stage([research]);
    await engine.run(research, { topic: "t" }, { id: "origin" });
    did = [];
    const fork = await engine.fork("origin", { patch: { input: { topic: "  u " } } });
    expect(await fork.output()).toMatchObject({ noted: "u" });
    expect(did).toContain("plan u");
    await expect(engine.fork("origin", { patch: { input: { topic: 7 } } })).rejects.toThrow(
      expect.objectContaining({ code: "InvalidValue" }),
    );
  });

  test("a fork in the middle goes on from there", async () => {
    const engine = await stage([research]);
    await engine.run(research, { topic: "t" }, { id: "origin" });
    const at = await outputOf(engine, "origin", "research/plan.urls[0]/fetchPage");
    const whole = [...did];
    did = [];
    const fork = await engine.fork("origin", { at });
    expect(await fork.output()).toEqual({ text: "<T/A>+<T/B>+<T/C>", noted: "t" });
    expect(did).not.toContain("fetch t/a");
    expect(new Set([...did, "plan t", "note t", "fetch t/a"])).toEqual(new Set(whole));
  });

  test("an op that had not begun takes the patch when its turn comes", async () => {
    const engine = await stage([research]);
    await engine.run(research, { topic: "t" }, { id: "origin" });
    did = [];
    const fork = await engine.fork("origin", {
      at: 1,
      patch: { outputs: { "research/summarize": { text: "given" } } },
    });
    expect(await fork.output()).toMatchObject({ text: "given" });
    expect(did.filter((line) => line.startsWith("summarize"))).toEqual([]);
    expect(did).toContain("extract <t/c>");
  });

  test("a patch of the last op ends the fork at once, with its output", async () => {
    const engine = await stage([research]);
    await engine.run(research, { topic: "t" }, { id: "origin" });
    did = [];
    const fork = await engine.fork("origin", { patch: { outputs: { summarize: { text: "short" } } } });
    expect(await fork.result()).toMatchObject({ status: "completed", output: { text: "short", noted: "t" } });
    expect(did).toEqual([]);
    expect((await engine.get(fork.runId))?.status).toBe("completed");
  });

  test("a generator's patch is the list of its items", async () => {
    const count = op("count", function* ({ n }: { n: number }) {
      did.push("count");
      for (let k = 0; k < n; k++) yield { k };
    });
    const double = op("double", ({ k }: { k: number }) => {
      did.push(`double ${k}`);
      return { d: k * 2 };
    });
    const counting = graph("counting", (input: Ref<{ n: number }>) => ({
      all: collect(double({ k: count({ n: input.n }).k }).d),
    }));
    const engine = await stage([counting]);
    await engine.run(counting, { n: 2 }, { id: "origin" });
    did = [];
    const fork = await engine.fork("origin", { patch: { outputs: { count: [{ k: 7 }, { k: 8 }, { k: 9 }] } } });
    expect(await fork.output()).toEqual({ all: [14, 16, 18] });
    expect(did).toEqual(["double 7", "double 8", "double 9"]);
    await expect(engine.fork("origin", { patch: { outputs: { count: { k: 7 } } } })).rejects.toThrow(
      /list of its items/,
    );
  });

  test("by `after`, and by a decision: the other arm runs, and what only stands beside does not", async () => {
    const score = op("score", ({ x }: { x: number }) => {
      did.push("score");
      return { s: x };
    });
    const step = (name: string) =>
      op(name, ({ x }: { x: number }) => {
        did.push(name);
        return { x };
      });
    const [high, low, last, beside] = [step("high"), step("low"), step("last"), step("beside")];
    const deciding = graph("deciding", (input: Ref<{ x: number }>) => {
      const { s } = score({ x: input.x });
      const taken = when(
        "gate",
        derive(s, (value) => value > 5),
        () => high({ x: input.x }),
        () => low({ x: input.x }),
      );
      return { x: taken.x, last: last({ x: input.x }, { after: [s] }).x, beside: beside({ x: input.x }).x };
    });
    const engine = await stage([deciding]);
    await engine.run(deciding, { x: 9 }, { id: "origin" });
    expect(did.toSorted()).toEqual(["beside", "high", "last", "score"]);
    did = [];
    await (await engine.fork("origin", { patch: { outputs: { score: { s: 1 } } } })).output();
    expect(did.toSorted()).toEqual(["last", "low"]);
  });

  test("in a loop the later turns, and of a cell the reads behind the push", async () => {
    const said = cell("said", append<string>());
    const think = op("think", ({ heard, turn }: { heard: string[]; turn: number }) => {
      did.push(`think ${turn} of ${heard.join()}`);
      return { word: `w${turn}`, turn: turn + 1 };
    });
    const talking = graph("talking", (input: Ref<{ turns: number }>) => {
      const talk = loop("talk", {}, { turn: 0, turns: input.turns }, (s) => {
        const heard = read(said, { after: [s.turn], allowRace: true });
        const thought = think({ heard, turn: s.turn });
        push(said, thought.word);
        return {
          next: { turn: thought.turn, turns: s.turns },
          until: derive({ turn: thought.turn, turns: s.turns }, ({ turn, turns }) => turn >= turns),
        };
      });
      return { turn: talk.turn };
    });
    const engine = await stage([talking]);
    await engine.run(talking, { turns: 5 }, { id: "origin" });
    did = [];
    const fork = await engine.fork("origin", {
      patch: { outputs: { "talking/talk#2/think": { word: "changed", turn: 3 } } },
    });
    expect(await fork.result()).toMatchObject({
      status: "completed",
      cells: { said: ["w0", "w1", "changed", "w3", "w4"] },
    });
    expect(did).toEqual(["think 3 of w0,w1,changed", "think 4 of w0,w1,changed,w3"]);
  });

  test("a cell holds what the patch says from where the fork begins", async () => {
    const total = cell("total", append<number>());
    const one = op("one", () => ({ n: 1 }));
    const two = op("two", async ({ seen }: { seen: number[] }) => {
      did.push(`two of ${seen.join()}`);
      return { n: 2 };
    });
    const adding = graph("adding", (_input: Ref<{}>) => {
      const first = push(total, one({}).n);
      const wait = op("wait", async () => ({}))({}, { after: [first] });
      const seen = read(total, { after: [wait] });
      return { n: two({ seen }).n, seen };
    });
    const engine = await stage([adding]);
    await engine.run(adding, {}, { id: "origin" });
    expect(did).toEqual(["two of 1"]);
    did = [];
    const at = (await outputOf(engine, "origin", "adding/wait")) - 1;
    const fork = await engine.fork("origin", { at, patch: { cells: { total: [40, 2] } } });
    expect(await fork.output()).toEqual({ n: 2, seen: [40, 2] });
    expect(did).toEqual(["two of 40,2"]);
    expect((await engine.stateAt("origin", at)).cells).toEqual({ total: [1] });
    const set = (await historyOf(engine, fork.runId)).find(({ kind }) => kind === "cellSet");
    expect(set).toMatchObject({ cell: "total", value: [40, 2] });
    expect((await engine.stateAt(fork.runId, set!.seq)).cells).toEqual({ total: [40, 2] });
  });
});

describe("what a fork does with failures", () => {
  let healthy = false;
  const flaky = op("flaky", async ({ x }: { x: number }) => {
    did.push(`flaky ${x}`);
    if (!healthy) throw new Error("not today");
    return { y: x + 1 };
  });
  const before = op("before", async ({ x }: { x: number }) => {
    did.push("before");
    return { x };
  });
  const after = op("after", async ({ y }: { y: number }) => {
    did.push(`after ${y}`);
    return { z: y };
  });
  const brittle = graph("brittle", (input: Ref<{ x: number }>) => ({
    z: after({ y: flaky({ x: before({ x: input.x }).x }).y }).z,
  }));

  async function failed(): Promise<Engine> {
    const engine = await stage([brittle]);
    healthy = false;
    await engine.run(brittle, { x: 1 }, { id: "origin" }).catch(() => undefined);
    did = [];
    return engine;
  }

  test("without a difference there is nothing to do, and it says how to try again", async () => {
    const engine = await failed();
    await expect(engine.fork("origin")).rejects.toThrow(expect.objectContaining({ code: "NothingToFork" }));
    await expect(engine.fork("origin")).rejects.toThrow(/rerun/);
    await expect(engine.fork("origin", { patch: { cells: {} } })).rejects.toThrow(/nothing to do/);
    expect(await engine.list()).toHaveLength(1);
  });

  test("`rerun` runs the failed op again, and what it held up", async () => {
    const engine = await failed();
    healthy = true;
    const fork = await engine.fork("origin", { rerun: ["brittle/flaky"] });
    expect(await fork.output()).toEqual({ z: 2 });
    expect(did).toEqual(["flaky 1", "after 2"]);
    expect((await engine.get(fork.runId))?.forkedFrom).toMatchObject({ rerun: ["brittle/flaky"] });
    expect((await engine.get("origin"))?.status).toBe("failed");
  });

  test("another output in the place of the failure goes on from there", async () => {
    const engine = await failed();
    const fork = await engine.fork("origin", { patch: { outputs: { flaky: { y: 9 } } } });
    expect(await fork.result()).toMatchObject({ status: "completed", output: { z: 9 }, errors: [] });
    expect(did).toEqual(["after 9"]);
  });

  test("under `raise` too, and its failure is kept where nothing touches it", async () => {
    const engine = await stage([brittle], { errors: "raise" });
    healthy = false;
    await engine.run(brittle, { x: 1 }, { id: "origin" }).catch(() => undefined);
    const at = (await historyOf(engine, "origin")).find(({ kind }) => kind === "attemptFailed")!.seq;
    healthy = true;
    expect(await (await engine.fork("origin", { at: at - 1 })).output()).toEqual({ z: 2 });
    await expect(engine.fork("origin", { at })).rejects.toThrow(/nothing to do/);
  });
});

describe("the run that is forked", () => {
  test("may be running: it goes on as if nothing had happened", async () => {
    const door = gate();
    const slow = op("slow", async ({ x }: { x: number }) => {
      did.push(`slow ${x}`);
      await door.opened;
      return { x };
    });
    const waiting = graph("waiting", (input: Ref<{ x: number }>) => ({
      x: slow({ x: input.x }, { after: [note({ topic: "t" })] }).x,
    }));
    const engine = await stage([waiting]);
    const origin = await engine.start(waiting, { x: 1 }, { id: "origin" });
    await eventually("the body runs", () => did.includes("slow 1"));
    const fork = await engine.fork("origin", { id: "fork" });
    await eventually("the body runs again", () => did.filter((line) => line === "slow 1").length === 2);
    door.open();
    expect(await origin.output()).toEqual(await fork.output());
    expect(did.filter((line) => line === "note t")).toHaveLength(1);
    const [mine, its] = [await historyOf(engine, "origin"), await historyOf(engine, "fork")];
    expect(its.slice(1).map(({ seq, kind }) => [seq, kind])).toEqual(mine.slice(1).map(({ seq, kind }) => [seq, kind]));
  });

  test("may be drained, and its labels and trace id are the fork's unless others are given", async () => {
    const door = gate();
    const slow = op("slow", async () => {
      await door.opened;
      return { x: 1 };
    });
    const chain = graph("chain", (_input: Ref<{}>) => ({ topic: note({ topic: "u" }, { after: [slow({})] }).noted }));
    const engine = await stage([chain]);
    const origin = await engine.start(chain, {}, { id: "origin", labels: { user: "ann" }, traceId: "t-1" });
    const drained = origin.drain();
    door.open();
    expect(await drained).toMatchObject({ status: "drained" });
    const fork = await engine.fork("origin");
    expect(await fork.result()).toMatchObject({ status: "completed", labels: { user: "ann" }, traceId: "t-1" });
    const other = await engine.fork("origin", { labels: { user: "bob" }, traceId: "t-2", id: "other" });
    expect(other).toMatchObject({ runId: "other", labels: { user: "bob" }, traceId: "t-2" });
    await other.output();
    expect((await engine.list({ labels: { user: "bob" } })).map(({ id }) => id)).toEqual(["other"]);
    expect((await engine.get("origin"))?.status).toBe("drained");
    expect(await (await engine.resume("origin")).output()).toEqual({ topic: "u" });
  });

  test("may have values in the blob store", async () => {
    const large = "x".repeat(100_000);
    const make = op("make", async () => ({ large }));
    const measure = op("measure", async ({ text }: { text: string }) => {
      did.push(`measure ${text.length}`);
      return { length: text.length };
    });
    const measuring = graph("measuring", (_input: Ref<{}>) => ({ n: measure({ text: make({}).large }).length }));
    const engine = await stage([measuring]);
    await engine.run(measuring, {}, { id: "origin" });
    const fork = await engine.fork("origin", { rerun: ["measure"] });
    expect(await fork.output()).toEqual({ n: 100_000 });
    expect(did).toEqual(["measure 100000", "measure 100000"]);
  });

  test("may be cancelled, and is not when it is forked before that", async () => {
    const door = gate();
    const stuck = op("stuck", async ({ x }: { x: number }) => {
      await door.opened;
      return { x };
    });
    const hanging = graph("hanging", (_input: Ref<{}>) => ({
      x: stuck({ x: derive(note({ topic: "t" }).noted, (t) => t.length) }).x,
    }));
    const engine = await stage([hanging]);
    const origin = await engine.start(hanging, {}, { id: "origin" });
    await origin.cancel("enough");
    did = [];
    door.open();
    // Whoever cancelled the one did not mean the other.
    expect(await (await engine.fork("origin")).output()).toEqual({ x: 1 });
    expect(did).toEqual([]);
  });
});

test("a fork of a run in a thread is in none, and its cells begin with what the thread had carried", async () => {
  const heard = cell("heard", append<string>(), { carry: true });
  const answer = op("answer", async ({ all }: { all: string[] }) => {
    did.push(`answer ${all.join()}`);
    return { text: all.join("+") };
  });
  const talk = graph("talk", (input: Ref<{ word: string }>) => {
    const pushed = push(heard, input.word);
    return { text: answer({ all: read(heard, { after: [pushed] }) }).text };
  });
  const backend = memory();
  const engine = await stage([talk], { backend });
  await engine.run(talk, { word: "a" }, { thread: "t" });
  await engine.run(talk, { word: "b" }, { thread: "t", id: "second" });
  await engine.run(talk, { word: "c" }, { thread: "t" });
  did = [];
  const fork = await engine.fork("second", { patch: { input: { word: "x" } }, id: "fork" });
  expect(await fork.output()).toEqual({ text: "a+x" });
  expect(did).toEqual(["answer a,x"]);
  expect(await engine.carried("t")).toEqual({ heard: ["a", "b", "c"] });
  expect((await engine.get("fork"))?.thread).toBeNull();
  expect((await engine.stateAt("fork", 1)).cells).toEqual({ heard: ["a", "x"] });
  // Also in an engine that takes it over, and in a fork of it.
  const recording = await recordingOf(backend, "fork");
  expect(await resumedOn(await crashedBehind(recording, 1), talk)).toMatchObject({ output: { text: "a+x" } });
  const again = await engine.fork("fork", { patch: { input: { word: "y" } } });
  expect(await again.output()).toEqual({ text: "a+y" });
});

test("a fork is kept by SQLite too, with the blobs of what it kept, when its origin is pruned", async () => {
  const large = "x".repeat(100_000);
  const make = op("make", async () => ({ large }));
  const measure = op("measure", async ({ text }: { text: string }) => {
    did.push(`measure ${text.length}`);
    return { length: text.length };
  });
  const measuring = graph("measuring", (_input: Ref<{}>) => ({ n: measure({ text: make({}).large }).length }));
  const file = join(folder(), "forks.db");
  const backend = sqlite(file);
  const engine = await stage([measuring], { backend });
  await engine.run(measuring, {}, { id: "origin" });
  did = [];
  const fork = await engine.fork("origin", { rerun: ["measure"], id: "fork" });
  expect(await fork.output()).toEqual({ n: 100_000 });
  expect(did).toEqual(["measure 100000"]);
  const ended = await engine.list({ limit: 10 });
  expect(ended.map(({ id }) => id).toSorted()).toEqual(["fork", "origin"]);
  const { endedAt } = (await engine.get("fork"))!;
  const before = await backend.prune({
    endedBefore: endedAt!,
    statuses: ["completed"],
    limit: 1,
    blobsBefore: Date.now() + 60_000,
  });
  expect(before.runs).toBe(1);
  expect(await engine.get("origin")).toBeUndefined();
  expect((await engine.stateAt("fork", 2)).outputs["measuring/make"]).toEqual({ large });
});

test("a fork of a fork keeps what both kept", async () => {
  const engine = await stage([research]);
  await engine.run(research, { topic: "t" }, { id: "origin" });
  const one = { outputs: { "research/plan.urls[0]/fetchPage": { html: "<1>" } } };
  await (await engine.fork("origin", { patch: one, id: "one" })).output();
  did = [];
  const two = { outputs: { "research/plan.urls[2]/extract": { fact: "<3>" } } };
  const fork = await engine.fork("one", { patch: two, id: "two" });
  expect(await fork.output()).toEqual({ text: "<1>+<T/B>+<3>", noted: "t" });
  expect(did).toEqual(["summarize <1>,<T/B>,<3>"]);
  expect((await engine.get("two"))?.forkedFrom).toMatchObject({ runId: "one", patch: two });
});
