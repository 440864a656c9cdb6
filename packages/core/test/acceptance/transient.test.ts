import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { add, cell, filter, graph, op, push, read, reduce, when, type Ref } from "../../src/index.ts";
import { sqlite } from "../../src/node/index.ts";
import { temporaryFolder } from "../node/temporary-folder.ts";
import { VirtualClock } from "./support/clock.ts";
import { open } from "./support/engines.ts";
import { forever, gate } from "./support/gate.ts";
import { fullHeap } from "./support/heap.ts";

const items = 200_000;
const sum = (items * (items - 1)) / 2;
const every = 40_000;

/** MiB that the heap, and the process, grew from the second measurement to the worst of the later ones. */
class Slope {
  heaps: number[] = [];
  sizes: number[] = [];

  /** From here on: the nursery of the heap has become as large as it gets, which is a step of 32 MiB and no slope. */
  begin(): void {
    this.heaps = [];
    this.sizes = [];
  }

  take(): void {
    this.heaps.push(fullHeap());
    this.sizes.push(process.memoryUsage().rss);
  }

  get heap(): number {
    return growth(this.heaps);
  }

  get rss(): number {
    return growth(this.sizes);
  }
}

function growth(measured: readonly number[]): number {
  const [, second = 0, ...rest] = measured;
  return Math.max(...rest.map((size) => size - second)) / 2 ** 20;
}

const text = "x".repeat(200);

function source(slope: Slope) {
  return op("tokens", { transient: true, timeout: { idle: "10s" } }, async function* ({ n }: { n: number }) {
    for (let k = 0; k < n; k++) {
      if (k % every === every - 1) slope.take();
      yield { k, text: text + String(k) };
    }
  });
}

/** Everything an item can go through, and nothing that keeps it. */
function through(slope: Slope) {
  const work = op("work", { timeout: { run: "10s" } }, async ({ k }: { k: number }, ctx) => {
    ctx.signal.addEventListener("abort", () => undefined);
    return { k, odd: k % 2 === 1 };
  });
  const tokens = source(slope);
  return graph("g", (input: Ref<{ n: number }>) => {
    const token = tokens({ n: input.n });
    const worked = work({ k: token.k }, { parallel: 256, buffer: 512 });
    const arm = when("arm", worked.odd, () => ({ n: token.k }), () => ({ n: 0 })); // prettier-ignore
    const total = cell("total", add());
    const pushed = push(total, worked.k);
    const all = reduce("all", worked.k, 0, (a, b) => a + b);
    return {
      all,
      odd: reduce("odd", filter(token.k, worked.odd), 0, (n) => n + 1),
      arms: reduce("arms", arm.n, 0, (a, b) => a + b),
      total: read(total, { after: [pushed] }),
    };
  });
}

const result = { all: sum, total: sum, odd: items / 2, arms: (items / 2) ** 2 };

test("H59 P3 I11 200,000 items of a transient stream leave nothing: no heap, no process size, no timer, no listener", async () => {
  const slope = new Slope();
  const clock = new VirtualClock();
  const tokens = source(slope);
  const g = graph("g", (input: Ref<{ n: number }>) => ({
    all: reduce("all", tokens({ n: input.n }).k, 0, (a, b) => a + b),
  }));
  const engine = await open({ clock });
  for (let round = 0; round < 4; round++) {
    slope.begin();
    expect(await engine.run(g, { n: items })).toEqual({ all: sum });
  }
  expect(slope.heap).toBeLessThan(1);
  expect(slope.rss).toBeLessThan(24);
  expect(clock.armed).toBe(0);
});

test("H59 neither do they on a way through ops with timers and signals, arms, filters, cells and reduces", async () => {
  const slope = new Slope();
  const clock = new VirtualClock();
  const engine = await open({ clock });
  const graphOfAll = through(slope);
  for (let round = 0; round < 4; round++) {
    slope.begin();
    expect(await engine.run(graphOfAll, { n: items })).toEqual(result);
  }
  expect(slope.heap).toBeLessThan(1);
  expect(slope.rss).toBeLessThan(32);
  expect(clock.armed).toBe(0);
});

test("H59 with a backend all of it is journaled and none of it is kept, neither by a run nor by its resume", async () => {
  const folder = temporaryFolder();
  onTestFinished(() => folder.remove());
  const file = join(folder.path, "runs.db");
  const n = 100_000;
  const reached = gate();
  let stopAt = 75_000;
  let slope = new Slope();
  const tokens = op("tokens", { transient: true }, async function* ({ n }: { n: number }) {
    for (let k = 0; k < n; k++) {
      if (k % 20_000 === 19_999) slope.take();
      if (k === stopAt) {
        reached.open();
        await forever();
      }
      yield { k, text: text + String(k) };
    }
  });
  const g = graph("g", (input: Ref<{ n: number }>) => ({
    all: reduce("all", tokens({ n: input.n }).k, 0, (a, b) => a + b),
  }));
  const dying = sqlite(file, { synchronous: "off" });
  const first = await open({ backend: dying });
  const lost = await first.start(g, { n }, { id: "run" });
  lost.result().catch(() => undefined);
  await reached.opened;
  await dying.abandon();
  const lives = [slope];
  stopAt = -1;
  lives.push((slope = new Slope()));
  const second = await open({ backend: sqlite(file, { synchronous: "off" }), graphs: [g] });
  expect(await second.recovered[0]?.output()).toEqual({ all: (n * (n - 1)) / 2 });
  const info = await second.get("run");
  expect(info?.lastSeq).toBeGreaterThan(n);
  for (const { heap, rss } of lives) {
    expect(heap).toBeLessThan(2);
    expect(rss).toBeLessThan(64);
  }
});
