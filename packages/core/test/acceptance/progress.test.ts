import { expect, test } from "vitest";
import { collect, each, filter, graph, op, reduce, type Ref } from "../../src/index.ts";
import { VirtualClock } from "./support/clock.ts";
import { open } from "./support/engines.ts";

/** Ops that take as long as they are told, and what they noted of when they began and ended. */
function stage(clock: VirtualClock) {
  const notes: string[] = [];
  const began: Record<string, number> = {};
  const wait = op("wait", async ({ name, ms }: { name: string; ms: number }) => {
    notes.push(name);
    began[name] = clock.elapsed;
    await clock.sleep(ms);
    return { name, at: clock.elapsed };
  });
  return { notes, began, wait };
}

test("R01 the successor of a 10 ms branch starts when that branch ends, not when its 500 ms sibling does", async () => {
  const clock = new VirtualClock();
  const { began, wait } = stage(clock);
  const fork = graph("fork", (input: Ref<{ fast: number; slow: number }>) => {
    const fast = wait({ name: "fast", ms: input.fast }, { name: "fast" });
    const slow = wait({ name: "slow", ms: input.slow }, { name: "slow" });
    const next = wait({ name: "next", ms: 1 }, { name: "next", after: [fast] });
    return { at: next.at, slow: slow.at };
  });
  const engine = await open({ clock });
  const output = await clock.until(engine.run(fork, { fast: 10, slow: 500 }));
  expect(began).toEqual({ fast: 0, slow: 0, next: 10 });
  expect(output).toEqual({ at: 11, slow: 500 });
});

test("K3 a collect fires when its own items are through, while a slow branch and an item of another stream go on", async () => {
  const clock = new VirtualClock();
  const { began, wait } = stage(clock);
  const busy = graph(
    "busy",
    (input: Ref<{ xs: { name: string; ms: number }[]; ys: { name: string; ms: number }[] }>) => {
      const x = each(input.xs);
      const y = each(input.ys);
      const first = wait({ name: x.name, ms: x.ms }, { name: "first", parallel: 4 });
      // A node further on in the same items, not collected: the items stay open, the collect does not care.
      wait({ name: first.name, ms: 900 }, { name: "tail", parallel: 4 });
      const other = wait({ name: y.name, ms: y.ms }, { name: "other", parallel: 4 });
      const slow = wait({ name: "slow", ms: 700 }, { name: "slow" });
      const summed = reduce("summed", first.at, 0, (sum, at) => sum + at);
      const joined = wait({ name: "joined", ms: 1 }, { name: "joined", after: [collect(first.at), summed] });
      return { joined: joined.at, others: collect(other.at), slow: slow.at };
    },
  );
  const engine = await open({ clock });
  const input = {
    xs: [5, 20, 10].map((ms) => ({ name: `x${ms}`, ms })),
    ys: [3, 600].map((ms) => ({ name: `y${ms}`, ms })),
  };
  const output = await clock.until(engine.run(busy, input));
  expect(began["joined"]).toBe(20);
  expect(output).toEqual({ joined: 21, others: [3, 600], slow: 700 });
});

test("K3 an empty list collects to [] and reduces to the initial value, and the consumer runs", async () => {
  const clock = new VirtualClock();
  const { wait, notes } = stage(clock);
  const empty = graph("empty", (input: Ref<{ xs: number[] }>) => {
    const item = wait({ name: "item", ms: each(input.xs) }, { name: "item" });
    const all = collect(item.at);
    const sum = reduce("sum", item.at, 7, (a, b) => a + b);
    const none = collect(filter(each(input.xs), true as never));
    return { all, sum, none, ran: wait({ name: "consumer", ms: sum }, { name: "consumer", after: [all] }).name };
  });
  const engine = await open({ clock });
  expect(await clock.until(engine.run(empty, { xs: [] }))).toEqual({ all: [], sum: 7, none: [], ran: "consumer" });
  expect(notes).toEqual(["consumer"]);
});

/** Eight items whose first stage ends in the order 7, 6, … 0. */
function reversing(clock: VirtualClock, ordered: boolean, notes: string[]) {
  const first = op("first", async ({ i }: { i: number }) => {
    await clock.sleep((8 - i) * 10);
    return { i };
  });
  const second = op("second", async ({ i }: { i: number }) => {
    notes.push(`second ${i}`);
    return { i };
  });
  return graph("reversing", (input: Ref<{ xs: number[] }>) => {
    const f = first({ i: each(input.xs) }, { parallel: 8 });
    return { all: collect(second({ i: f.i }, { ordered }).i) };
  });
}

test("K4 the lane behind a parallel one takes items in the order they arrive, and in yield order when it is ordered; the collect is in yield order either way", async () => {
  const xs = [0, 1, 2, 3, 4, 5, 6, 7];
  for (const ordered of [false, true]) {
    const clock = new VirtualClock();
    const notes: string[] = [];
    const engine = await open({ clock });
    const output = await clock.until(engine.run(reversing(clock, ordered, notes), { xs }));
    const expected = ordered ? xs : xs.toReversed();
    expect(notes).toEqual(expected.map((i) => `second ${i}`));
    expect(output).toEqual({ all: xs });
  }
});

/** Item 0 hangs in its first stage until it is let go; the others pass. */
function parking(clock: VirtualClock, ordered: boolean, notes: string[]) {
  const first = op("first", async ({ i }: { i: number }) => {
    await clock.sleep(i === 0 ? 10_000 : 10);
    return { i };
  });
  const second = op("second", async ({ i }: { i: number }) => {
    notes.push(`${i} at ${clock.elapsed}`);
    return { i };
  });
  return graph("parking", (input: Ref<{ xs: number[] }>) => ({
    all: collect(second({ i: first({ i: each(input.xs) }, { parallel: 8 }).i }, { ordered }).i),
  }));
}

test("K4 an item that waits does not stall the next lane, unless that lane is ordered", async () => {
  const clock = new VirtualClock();
  const notes: string[] = [];
  const engine = await open({ clock });
  await clock.until(engine.run(parking(clock, false, notes), { xs: [0, 1, 2] }));
  expect(notes).toEqual(["1 at 10", "2 at 10", "0 at 10000"]);

  const clock2 = new VirtualClock();
  const strict: string[] = [];
  const engine2 = await open({ clock: clock2 });
  await clock2.until(engine2.run(parking(clock2, true, strict), { xs: [0, 1, 2] }));
  expect(strict).toEqual(["0 at 10000", "1 at 10000", "2 at 10000"]);
});

test("K4 an ordered lane passes over items that never come: absent and failed ones hold up nobody", async () => {
  const check = op("check", async ({ i }: { i: number }) => {
    if (i === 1) throw new Error("one");
    return { i, keep: i !== 2 };
  });
  const notes: number[] = [];
  const write = op("write", async ({ i }: { i: number }) => {
    notes.push(i);
    return { i };
  });
  const gaps = graph("gaps", (input: Ref<{ xs: number[] }>) => {
    const checked = check({ i: each(input.xs) }, { parallel: 8 });
    const kept = filter(checked, checked.keep);
    return { all: collect(write({ i: kept.i }, { ordered: true }).i, { errors: "skip" }) };
  });
  const engine = await open();
  expect(await engine.run(gaps, { xs: [0, 1, 2, 3, 4] })).toEqual({ all: [0, 3, 4] });
  expect(notes).toEqual([0, 3, 4]);
});

test("K4 without parallel a lane holds one item at a time, and stages overlap: item 2 in the first while item 1 is in the second", async () => {
  const clock = new VirtualClock();
  const { wait, began } = stage(clock);
  const pipeline = graph("pipeline", (input: Ref<{ xs: number[] }>) => {
    const x = each(input.xs);
    const a = op("a", async ({ x: n }: { x: number }) => {
      began[`a${n}`] = clock.elapsed;
      await clock.sleep(10);
      return { x: n };
    })({ x });
    const b = op("b", async ({ x: n }: { x: number }) => {
      began[`b${n}`] = clock.elapsed;
      await clock.sleep(10);
      return { x: n };
    })({ x: a.x });
    return { all: collect(b.x), end: wait({ name: "end", ms: 0 }, { after: [b] }).at };
  });
  const engine = await open({ clock });
  await clock.until(engine.run(pipeline, { xs: [1, 2, 3] }));
  expect(began).toEqual({ a1: 0, a2: 10, b1: 10, a3: 20, b2: 20, b3: 30, end: 40 });
});
