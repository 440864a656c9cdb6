/**
 * Whoever reads a run is told the same: while it goes on, too slowly for it, or from its journal when it is over. Starts of
 * attempts are not in the journal: there only their order is another.
 */
import { expect, test } from "vitest";
import { MillraceError, memory, openEngine, type Handle, type StreamEvent, type StreamMode } from "../../src/index.ts";
import { buildRandomGraph, randomSpec } from "../../src/testing/random-graph.ts";
import { VirtualClock } from "../acceptance/support/clock.ts";

const seeds = Array.from({ length: 300 }, (_, i) => 700_001 + i);
const modes: readonly StreamMode[] = ["tasks", "updates", "values", "output"];
const theatre = {
  mood: 0,
  instead: () => undefined,
  enter: () => undefined,
  wait: () => new Promise<void>((resolve) => setImmediate(resolve)),
};

async function all<E>(stream: AsyncIterable<E>, pause = 0): Promise<E[]> {
  const events: E[] = [];
  for await (const event of stream) {
    events.push(event);
    if (pause > 0 && events.length % pause === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  return events;
}

function isStart(event: StreamEvent): boolean {
  return event.mode === "tasks" && event.task === "started";
}

/** What is in the journal, in its places; and the starts of attempts that came to something, whenever they came. */
function told(all: readonly StreamEvent[]): unknown {
  // What no journal has is told to those who read live and keep pace alone.
  const events = all.filter((event) => !("durable" in event));
  const outcomes = new Set(events.filter((event) => !isStart(event)).map(attemptOf));
  return {
    journaled: events.filter((event) => !isStart(event)),
    starts: events
      .filter((event) => isStart(event) && outcomes.has(attemptOf(event)))
      .map((event) => JSON.stringify({ ...event, seq: 0, part: 0 }))
      .toSorted(),
  };
}

function attemptOf(event: StreamEvent): string {
  return event.mode === "tasks" && "attempt" in event ? `${event.path} ${event.attempt}` : "";
}

/** The items of an output, and whether the reading failed. */
async function itemsOf(
  handle: Handle<unknown>,
  key: string,
): Promise<{ items: unknown[]; failed: boolean } | undefined> {
  const items: unknown[] = [];
  try {
    for await (const item of handle.items(key)) items.push(item);
    return { items, failed: false };
  } catch (error) {
    if (error instanceof MillraceError && error.code === "NoSuchStream") return undefined;
    return { items, failed: true };
  }
}

test(
  "H78 every reader of a random run is told the same events, and every item once",
  { timeout: 120_000 },
  async () => {
    let events = 0;
    let streams = 0;
    for (const seed of seeds) {
      const { graph, spec } = buildRandomGraph(randomSpec(seed), theatre);
      const clock = new VirtualClock();
      const engine = await openEngine({ backend: memory(), graphs: [graph], clock, warn: () => undefined });
      const handle = await engine.start(graph, spec.input, { id: "run", errors: spec.errors });
      const keys = spec.returns.map((_, i) => `o${i}`);
      const items = Promise.all(keys.map((key) => itemsOf(handle, key)));
      const live = all(handle.stream(modes));
      const slow = all(handle.stream(modes, { buffer: 3 }), 7);
      const result = await clock.until(handle.result());
      const whole = await live;
      expect(told(await slow), `seed ${seed}, slow`).toEqual(told(whole));
      expect(told(await all(await engine.stream("run", modes))), `seed ${seed}, stored`).toEqual(told(whole));
      expect(whole.at(-1)).toEqual(expect.objectContaining({ result }));
      events += whole.length;
      // Of a run that failed the stream may have ended or not; of one that completed all streams have.
      const read = (await items).flatMap((given, i) => (given === undefined ? [] : [[`o${i}`, given] as const]));
      const output = result.status === "completed" ? (result.output as Record<string, unknown>) : null;
      const expected = output === null ? read : read.map(([key]) => [key, { items: output[key], failed: false }]);
      expect(read, `seed ${seed}, items`).toEqual(expected);
      streams += output === null ? 0 : read.length;
      await engine.close();
    }
    expect(events).toBeGreaterThan(5_000);
    expect(streams).toBeGreaterThan(50);
  },
);
