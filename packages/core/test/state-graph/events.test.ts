/** What bodies of nodes tell while they run. */
import { describe, expect, test } from "vitest";
import {
  append,
  END,
  last,
  memory,
  stateGraph,
  type CustomEvent,
  type StateGraph,
  type TaskEvent,
} from "../../src/index.ts";
import { RecordKind } from "../../src/events/record.ts";
import { open } from "../acceptance/support/engines.ts";
import { crashedBehind, recordingOf } from "../acceptance/support/journal.ts";
import { Gate, places } from "./support/places.ts";

type Log = StateGraph<{ readonly log: string[] }, { readonly log?: string }>;

/** `[node, name, value]`, or that what a node told is void. */
function toldBy(event: CustomEvent): readonly unknown[] {
  const node = event.node.split("/").slice(2, -1).join("/");
  return event.reset === true ? [node, "reset"] : [node, event.name, event.value];
}

async function read<T>(events: AsyncIterable<CustomEvent>, as: (event: CustomEvent) => T): Promise<T[]> {
  const all: T[] = [];
  for await (const event of events) all.push(as(event));
  return all;
}

/** A node that tells two words, and another one; the second goes on when `gate` opens. */
function speaking(gate: Gate): Log {
  return stateGraph("speaking", { state: { log: append<string>() }, nodes: ["speak", "end"] })
    .node("speak", async function* (_state, to, run) {
      yield { word: "hello" };
      await gate.opened;
      run.emit("progress", 0.5);
      yield { word: "world" };
      return to.write({ log: "hello world" });
    })
    .node("end", (_state, to, run) => {
      run.emit("ended", true);
      return to.write({ log: "end" });
    })
    .entry("speak")
    .edge("speak", "end")
    .edge("end", END)
    .compile();
}

describe.each(places)("on %s", (_kind, place) => {
  test("what a body tells arrives while it runs, in order, and is no part of the state", async () => {
    const gate = new Gate();
    const graph = speaking(gate);
    const engine = await open({ backend: place(), graphs: [graph] });
    const handle = await engine.start(graph, {});
    const events = handle.stream("custom");
    const first = await events.next();
    expect(toldBy(first.value!)).toEqual(["speak", undefined, { word: "hello" }]);
    gate.open();
    expect(await read(events, toldBy)).toEqual([
      ["speak", "progress", 0.5],
      ["speak", undefined, { word: "world" }],
      ["end", "ended", true],
    ]);
    expect(await handle.output()).toEqual({ log: ["hello world", "end"] });
  });

  test("events of tasks of a subgraph arrive with where they are from", async () => {
    const gate = new Gate();
    gate.open();
    const outer = stateGraph("outer", { state: { log: last<string[]>([]) }, nodes: ["inner"] })
      .subgraph("inner", speaking(gate), { enter: () => ({}), leave: ({ log }) => ({ log }) })
      .compile();
    const engine = await open({ backend: place(), graphs: [outer] });
    const handle = await engine.start(outer, {});
    const told = await read(handle.stream("custom"), ({ path, of, value }) => [path, of, value]);
    const inner = "outer/superstep#1/task[0]/node/inner/superstep";
    const at = (node: string, step: number): string => `${inner}#${step}/task[0]/node/${node}/body`;
    expect(told.map(([path, , value]) => [path, value])).toEqual([
      [at("speak", 1), { word: "hello" }],
      [at("speak", 1), 0.5],
      [at("speak", 1), { word: "world" }],
      [at("end", 2), true],
    ]);
    expect(told.every(([path, of]) => path === of)).toBe(true);
  });

  test("who comes late is told what a body told by then, and later what it has recorded; each event once", async () => {
    const gate = new Gate();
    const graph = speaking(gate);
    const engine = await open({ backend: place(), graphs: [graph] });
    const handle = await engine.start(graph, {});
    const early = handle.stream("custom");
    const had = [(await early.next()).value!];
    const late = handle.stream("custom");
    expect(toldBy((await late.next()).value!)).toEqual(["speak", undefined, { word: "hello" }]);
    gate.open();
    const rest = await read(early, (event) => event);
    const heard = [...had, ...rest].map(toldBy);
    expect(heard).toHaveLength(4);
    expect(await read(late, toldBy)).toEqual(heard.slice(1));
    const recorded = await read(handle.stream("custom"), (event) => event);
    expect(recorded.map(toldBy)).toEqual(heard);
    expect(recorded.map(({ durable, index }) => [durable, index])).toEqual([0, 1, 2, 0].map((at) => [undefined, at]));
    // Who comes back behind what it had is told nothing twice that has a place.
    const { seq, part } = recorded[1]!;
    expect(await read(handle.stream("custom", { after: { seq, part } }), toldBy)).toEqual(heard.slice(2));
  });
});

test("an attempt that fails makes what it told void, of which live and late readers are told", async () => {
  const graph = stateGraph("twice", { state: { log: append<string>() }, nodes: ["try"] })
    .node(
      "try",
      async function* (_state, to, run) {
        yield `attempt ${run.attempt}`;
        if (run.attempt === 1) throw new Error("once more");
        return to.write({ log: "done" });
      },
      { retry: { attempts: 2, initial: 0, on: () => true } },
    )
    .compile();
  const engine = await open({ backend: memory(), graphs: [graph] });
  const handle = await engine.start(graph, {});
  expect(await read(handle.stream("custom"), toldBy)).toEqual([
    ["try", undefined, "attempt 1"],
    ["try", "reset"],
    ["try", undefined, "attempt 2"],
  ]);
  expect(await read(handle.stream("custom"), toldBy)).toEqual([
    ["try", "reset"],
    ["try", undefined, "attempt 2"],
  ]);
  const tasks: TaskEvent[] = [];
  for await (const event of handle.stream("tasks")) tasks.push(event);
  expect(tasks.filter(({ task }) => task === "reset")).toEqual([]);
});

test("finished tasks tell nothing again after a crash, and those that run again begin anew", async () => {
  const gate = new Gate();
  const graph = speaking(gate);
  const backend = memory();
  const engine = await open({ backend, graphs: [graph] });
  const handle = await engine.start(graph, {}, { id: "run" });
  gate.open();
  await handle.result();
  const recording = await recordingOf(backend, "run");
  const perCut: unknown[] = [];
  // What an event decides stands in one row with it.
  const cuts = recording.records.flatMap(([kind], at) => (at > 0 && kind !== RecordKind.decision ? [at] : []));
  for (const cut of cuts) {
    const next = await open({ backend: await crashedBehind(recording, cut), graphs: [graph] });
    const told = await read(next.recovered[0]!.stream("custom", { after: cut }), toldBy);
    perCut.push(told);
  }
  const end = ["end", "ended", true];
  const all = [
    ["speak", "reset"],
    ["speak", null, { word: "hello" }],
    ["speak", "progress", 0.5],
    ["speak", null, { word: "world" }],
    end,
  ];
  // Behind the record of its end a task tells nothing.
  const distinct = [...new Set(perCut.map((told) => JSON.stringify(told)))].map((told) => JSON.parse(told) as unknown);
  expect(distinct).toEqual([all, [["end", "reset"], end], []]);
});

// With 10 there is room for what is told, and none for that it is recorded.
test.each([30, 10])(
  "a reader that is too slow for %i events is told so, and is told all of them when they are recorded",
  async (count) => {
    const gate = new Gate();
    const graph = stateGraph("loud", { state: { n: last(0) }, nodes: ["tell"] })
      .node("tell", async function* (_state, to) {
        await gate.opened;
        for (let n = 0; n < count; n++) yield n;
        return to.write({ n: count });
      })
      .compile();
    const engine = await open({ backend: memory(), graphs: [graph] });
    const handle = await engine.start(graph, {});
    const slow = handle.stream("custom", { buffer: 10 });
    const all = read(handle.stream("custom"), ({ value }) => value);
    gate.open();
    await handle.result();
    const numbers = Array.from({ length: count }, (_, n) => n);
    expect(await read(slow, ({ value, reset, durable }) => [value, reset, durable])).toEqual([
      ...numbers.slice(0, 10).map((n) => [n, undefined, false]),
      [undefined, true, false],
      ...numbers.map((n) => [n, undefined, undefined]),
    ]);
    expect(await all).toEqual(numbers);
  },
);

test("a synchronous generator is a body too, and one that nobody wants any more is closed", async () => {
  let closed = "";
  const gate = new Gate();
  const graph = stateGraph("closing", { state: { log: append<string>() }, nodes: ["at_once", "waits"] })
    .node("at_once", function* (_state, to) {
      yield 1;
      return to.write({ log: "at once" });
    })
    .node("waits", async function* (_state, _to, run) {
      try {
        yield "waiting";
        await new Promise((resolve) => run.signal.addEventListener("abort", resolve));
        yield "never heard";
        return [];
      } finally {
        closed = (run.signal.reason as Error).name;
        gate.open();
      }
    })
    .entry("at_once")
    .edge("at_once", "waits")
    .compile();
  const engine = await open({ backend: memory(), graphs: [graph] });
  const handle = await engine.start(graph, {});
  const events = handle.stream("custom");
  expect([toldBy((await events.next()).value!), toldBy((await events.next()).value!)]).toEqual([
    ["at_once", undefined, 1],
    ["waits", undefined, "waiting"],
  ]);
  await handle.cancel();
  await gate.opened;
  expect(closed).not.toBe("");
  expect(await read(events, toldBy)).toEqual([]);
});

test("an event is called by a name, and a body that says otherwise fails", async () => {
  const graph = stateGraph("named", { state: { n: last(0) }, nodes: ["tell"] })
    .node("tell", (_state, to, run) => {
      run.emit("not a name", 1);
      return to.write({ n: 1 });
    })
    .compile();
  const engine = await open({ graphs: [graph] });
  await expect(engine.run(graph, {})).rejects.toMatchObject({ message: expect.stringContaining("calls an event") });
});
