/** One run, read where it is driven and where it is not. */
import { openEngine, type Backend, type Engine, type EngineOptions, type Interrupt } from "../../../src/index.ts";
import type { Handle, Runnable, StreamEvent, StreamMode, StreamOptions } from "../../../src/index.ts";

export const allModes: readonly StreamMode[] = ["updates", "values", "tasks", "custom", "interrupts", "output"];

export interface Readings {
  /** By who reads where it is driven. */
  readonly live: readonly StreamEvent[];
  /** By who follows from another engine, from before it began to do anything. */
  readonly followed: readonly StreamEvent[];
  /** By who follows from the middle of what the one before was told on. */
  readonly tail: readonly StreamEvent[];
  /** By who comes when it is over. */
  readonly past: readonly StreamEvent[];
}

export interface Play {
  readonly backends: readonly [Backend, Backend];
  readonly engine?: EngineOptions;
  readonly answer?: (question: Interrupt) => unknown;
}

/** Runs the graph in one engine, over all its rests, with readers in both. */
export async function playFollowed<I, O>(graph: Runnable<I, O>, input: NoInfer<I>, play: Play): Promise<Readings> {
  const options: EngineOptions = { warn: () => undefined, ...play.engine, graphs: [graph] };
  const engine = await openEngine({ ...options, backend: play.backends[0] });
  const other = await openEngine({ ...options, backend: play.backends[1], recover: false });
  try {
    const handle = await engine.start(graph, input, { id: "run" });
    const live: StreamEvent[] = [];
    const followed: StreamEvent[] = [];
    for (let open = true; open;) {
      const readers = [readOn(handle, live), other.stream("run", allModes, behind(followed)).then(into(followed))];
      const result = await handle.result();
      await Promise.all(readers);
      const [question] = result.status === "interrupted" ? result.interrupts : [];
      open = question !== undefined && play.answer !== undefined;
      if (question !== undefined && play.answer !== undefined) await handle.answer(question.id, play.answer(question));
    }
    const middle = followed[Math.floor(followed.length / 2)]!;
    const tail = await into([])(await other.stream("run", allModes, { after: middle }));
    return { live, followed, tail, past: await into([])(await other.stream("run", allModes)) };
  } finally {
    await other.close();
    await engine.close();
  }
}

function readOn(handle: Pick<Handle<unknown>, "stream">, events: StreamEvent[]): Promise<StreamEvent[]> {
  return into(events)(handle.stream(allModes, behind(events)));
}

/** That it rests is no event of the run: it comes again at the end, wherever that is then. */
function behind(events: StreamEvent[]): StreamOptions {
  const last = events.at(-1);
  if (last?.mode === "output" && "result" in last) events.pop();
  const after = events.at(-1);
  return after === undefined ? {} : { after };
}

function into(events: StreamEvent[]): (stream: AsyncIterable<StreamEvent>) => Promise<StreamEvent[]> {
  return async (stream) => {
    for await (const event of stream) events.push(event);
    return events;
  };
}

/** Without what is in no journal: that attempts start, and what is told before it is recorded. */
export function recordedOf(events: readonly StreamEvent[]): StreamEvent[] {
  return events.filter((event) => !("durable" in event) && !(event.mode === "tasks" && event.task === "started"));
}

/** All that comes, until the reading ends or fails. */
export async function readUntil(
  engine: Engine,
  runId: string,
  options: StreamOptions = {},
): Promise<{ readonly events: readonly StreamEvent[]; readonly error: unknown }> {
  const events: StreamEvent[] = [];
  try {
    await into(events)(await engine.stream(runId, allModes, options));
    return { events, error: null };
  } catch (error) {
    return { events, error };
  }
}
