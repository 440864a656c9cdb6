import { expect, test, vi } from "vitest";
import { collect, graph, memory, op, type LogEntry, type Ref } from "../../src/index.ts";
import { VirtualClock } from "./support/clock.ts";
import { open } from "./support/engines.ts";

function flowOf(clock: VirtualClock) {
  const fetch = op("fetch", async ({ ms }: { ms: number }) => {
    await clock.sleep(ms);
    return { ms };
  });
  const items = op("items", async function* ({ ms }: { ms: number }) {
    yield { ms };
    await clock.sleep(ms);
    yield { ms };
  });
  return graph("flow", (input: Ref<{ ms: number }>) => ({
    one: fetch({ ms: input.ms }).ms,
    all: collect(items({ ms: input.ms }).ms),
  }));
}

test("F26 an op of 300 ms is no news at the default level, and no timer is set for it", async () => {
  const clock = new VirtualClock();
  const warn = vi.spyOn(console, "warn").mockReturnValue(undefined);
  const error = vi.spyOn(console, "error").mockReturnValue(undefined);
  const engine = await open({ clock });
  await clock.until(engine.run(flowOf(clock), { ms: 300 }));
  const written = [...warn.mock.calls, ...error.mock.calls];
  vi.restoreAllMocks();
  expect(written).toEqual([]);
});

test.each([{}, { backend: memory() }])(
  "F26 slowOp is a setting: what works longer is told of once, with where it is, and what is faster is not",
  async (options) => {
    const clock = new VirtualClock();
    const lines: LogEntry[] = [];
    const engine = await open({ ...options, clock, slowOp: "250ms", log: (entry) => lines.push(entry) });
    await clock.until(engine.run(flowOf(clock), { ms: 200 }, { id: "fast" }));
    expect(lines).toEqual([]);
    await clock.until(engine.run(flowOf(clock), { ms: 300 }, { id: "slow" }));
    expect(lines.map(({ at: _at, ...line }) => line)).toEqual(
      ["fetch", "items"].map((node) => ({
        level: "warn",
        message: `"${node}" is still working after 250 ms`,
        runId: "slow",
        path: `flow/${node}`,
        attempt: 1,
      })),
    );
    expect(clock.armed).toBe(0);
  },
);

test("F26 a slowOp that is no duration is refused when the engine opens", async () => {
  await expect(open({ slowOp: "soon" as never })).rejects.toMatchObject({
    code: "InvalidDuration",
    message: expect.stringContaining("slowOp of the engine") as string,
  });
});
