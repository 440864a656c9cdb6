/**
 * Hostile mode: whenever nothing of a run is at work, after every record of it, the run is put aside as it stands and goes on in
 * an engine that was opened for it, from nothing but its journal. So every test of what a graph does is a test of recovery too.
 *
 * `MILLRACE_HOSTILE=memory` or `=sqlite` turns it on, or `=postgres` or `=mysql`, on a server of the test run's own: engines that
 * were given no backend get one of these, and of those that were given `memory()` every engine gets a handle of its own. Others stay
 * as they are, and so does a run that somebody reads or writes live. Tests that cannot be run so, and why, stand in
 * `not-hostile.ts`.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  memory,
  memoryCache,
  openEngine,
  type Backend,
  type Engine,
  type EngineOptions,
  type Handle,
  type Runnable,
  type RunResult,
} from "../../../src/index.ts";
import type { MemoryBackend } from "../../../src/backends/memory.ts";
import type { LiveRun } from "../../../src/engine/live-run.ts";
import { sqlite } from "../../../src/node/index.ts";
import type { Append, AppendResult, ClaimRequest, RunRow } from "../../../src/ports/backend.ts";
import { whileUnderWay } from "./clock.ts";
import { WrappedBackend } from "../../../src/backends/wrapped.ts";
import type { RunState } from "../../../src/state/run-state.ts";

export const hostility: string = process.env["MILLRACE_HOSTILE"] ?? "";

const onServer = hostility === "postgres" || hostility === "mysql";

/** More hand-overs of one run than this make a test long and show nothing new; on a server each takes long. */
const mostHandovers = onServer ? 60 : 400;

type Somewhere = { readonly handle: Handle<unknown>; readonly engine: Engine };
type OpenFor = (runId: string) => Promise<Somewhere | null>;

export interface Store {
  /** What the test's own engine, and each of those that come after it, is opened on. */
  another(): Backend;
  close(): void | Promise<void>;
}

/** What the package of a server brings: a place on it that nobody else uses. */
interface HostileServer {
  readonly hostileStore: () => Store;
}

/** What has been handed over in this process: a mode that does nothing would pass everything. */
export const handovers: { count: number } = { count: 0 };

export async function openHostile(options: EngineOptions): Promise<Engine> {
  const store = await storeFor(options);
  if (store === null) return openEngine(options);
  const cast = new Cast({ cache: memoryCache(), ...options }, store);
  await cast.open();
  return cast.engine;
}

async function storeFor({ backend: given, clock }: EngineOptions): Promise<Store | null> {
  if (given !== undefined) return isMemory(given) ? onMemory(given) : null;
  // A clock of the test's own does not wait for a disk.
  if (clock !== undefined) return onMemory(memory());
  if (hostility === "sqlite") return onSqlite();
  if (!onServer) return onMemory(memory());
  const module = new URL(`../../../../${hostility}/test/support/hostile.ts`, import.meta.url);
  const { hostileStore } = (await import(module.href)) as HostileServer;
  return hostileStore();
}

function onSqlite(): Store {
  const folder = mkdtempSync(join(tmpdir(), "millrace-hostile-"));
  return {
    another: () => sqlite(join(folder, "runs.db"), { synchronous: "off" }),
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function isMemory(backend: Backend): backend is MemoryBackend {
  return backend.name === "memory" && "another" in backend && backend.constructor.name === "MemoryHandle";
}

/** The first engine has the handle of the test, which looks into it. */
function onMemory(given: MemoryBackend): Store {
  let first = true;
  return {
    another: () => {
      if (!first) return given.another();
      first = false;
      return given;
    },
    close: () => undefined,
  };
}

/** Runs that are put aside are for the engine that is opened for them: no other one takes them up by itself. */
class Reserved extends WrappedBackend {
  opened = false;

  override claim(request: ClaimRequest): Promise<RunRow[]> {
    return this.opened && request.runId === undefined ? Promise.resolve([]) : super.claim(request);
  }

  /** A commit takes its time, as on a disk: so long that the run can be put aside before anything comes of it. */
  override async append(append: Append): Promise<AppendResult> {
    return whileUnderWay(async () => {
      await new Promise((resolve) => setImmediate(resolve));
      return super.append(append);
    });
  }
}

/** The engines of one test engine: the one that runs are started in, and those they go on in. */
class Cast {
  engine!: Engine;
  readonly #options: EngineOptions;
  readonly #store: Store;
  readonly #others: Set<Engine> = new Set();
  readonly #runs: Map<string, Wandering> = new Map();
  readonly #graphs: Set<NonNullable<EngineOptions["graphs"]>[number]>;
  /** Engines that their run has left, on their way out: a server has only so many connections. */
  readonly #left: Set<Promise<void>> = new Set();
  /** Runs that have begun, and whose starter has not been told. */
  readonly #early: Map<string, RunState> = new Map();
  #closed = false;

  constructor(options: EngineOptions, store: Store) {
    this.#options = options;
    this.#store = store;
    this.#graphs = new Set(options.graphs);
  }

  async open(): Promise<void> {
    const engine = await this.#openOne({});
    const recovered = engine.recovered.map((handle) => this.#wander(handle, engine));
    this.engine = this.#facade(engine, recovered);
  }

  async #openOne(options: EngineOptions): Promise<Engine> {
    const backend = new Reserved(this.#store.another());
    const engine = await openEngine({ ...this.#optionsOf(), ...options, backend });
    backend.opened = true;
    return engine;
  }

  #optionsOf(): EngineOptions {
    const { check } = this.#options;
    return {
      ...this.#options,
      check: (run) => {
        check?.(run);
        if (run.replaying || run.end !== null) return;
        const wandering = this.#runs.get(run.runId);
        if (wandering === undefined) this.#early.set(run.runId, run);
        else wandering.onStep(run);
      },
    };
  }

  /** The engine of the test, but for what is said to runs. */
  #facade(first: Engine, recovered: readonly Handle<unknown>[]): Engine {
    const own: Partial<Engine> = {
      recovered,
      run: async (graph, input, options) => (await this.engine.start(graph, input, options)).output(),
      start: async (graph, input, options) => {
        this.#graphs.add(graph);
        return this.#wander(await first.start(graph, input, options), first);
      },
      resume: async (runId, options) => {
        const run = this.#runs.get(runId);
        if (run !== undefined) await run.settled();
        const engine = run?.engine ?? first;
        return this.#wander(await engine.resume(runId, options), engine);
      },
      answer: async (runId, which, value, options) => {
        const run = this.#runs.get(runId);
        if (run === undefined) return first.answer(runId, which, value, options);
        await run.settled();
        const { engine } = run;
        return this.#wander(await engine.answer(runId, which, value, options), engine);
      },
      cancel: async (runId, reason) => {
        const run = this.#runs.get(runId);
        if (run === undefined) return first.cancel(runId, reason);
        await run.stay();
        return run.engine.cancel(runId, reason);
      },
      drain: async (runId) => {
        const runs = runId === undefined ? [...this.#runs.values()] : [this.#runs.get(runId)];
        for (const run of runs) await run?.stay();
        const engines = runId === undefined ? [first, ...this.#others] : [this.#runs.get(runId)?.engine ?? first];
        for (const engine of engines) await engine.drain(runId);
      },
      stream: async (run, modes, options) => {
        const id = typeof run === "string" ? run : run.runId;
        const wandering = this.#runs.get(id);
        await wandering?.stay();
        return (wandering?.engine ?? first).stream(id, modes, options) as never;
      },
      shutdown: async (options) => {
        await this.#stayAll();
        for (const engine of this.#others) await engine.shutdown(options);
        await first.shutdown(options);
      },
      close: async () => {
        this.#closed = true;
        for (const engine of this.#others) await engine.close();
        await Promise.all(this.#left);
        await first.close();
        await this.#store.close();
      },
    };
    return new Proxy(first, {
      get: (target, key) => {
        if (key === Symbol.asyncDispose) return own.close;
        const value: unknown = key in own ? own[key as keyof Engine] : Reflect.get(target, key);
        return typeof value === "function" && !(key in own) ? (value.bind(target) as unknown) : value;
      },
    });
  }

  async #stayAll(): Promise<void> {
    for (const run of this.#runs.values()) await run.stay();
  }

  #wander<O>(handle: Handle<O>, engine: Engine): Handle<O> {
    const at = { handle: handle as Handle<unknown>, engine };
    const known = this.#runs.get(handle.runId);
    const run =
      known ??
      new Wandering(
        at,
        (runId) => this.#openFor(runId),
        (engine) => this.#leave(engine),
        () => this.#closed,
      );
    if (known === undefined) this.#runs.set(handle.runId, run);
    else run.goesOnIn(at);
    const early = this.#early.get(handle.runId);
    if (early !== undefined) run.onStep(early);
    this.#early.delete(handle.runId);
    return run.handle as Handle<O>;
  }

  /** A fresh engine, in which a run goes on. */
  async #openFor(runId: string): Promise<Somewhere | null> {
    if (this.#closed) return null;
    const graphs = named(this.#graphs);
    const engine = await this.#openOne({ graphs, recover: false });
    this.#others.add(engine);
    return { handle: await engine.resume(runId), engine };
  }

  /** Nobody goes on in it. What it shares with others, such as resources, is theirs elsewhere: there it stays until the end. */
  #leave(engine: Engine): void {
    if (!onServer || !this.#others.delete(engine)) return;
    const leaving = engine.close().finally(() => this.#left.delete(leaving));
    this.#left.add(leaving);
  }
}

/** Of two that have one name, which a test may start one after the other, the last. */
function named(graphs: Iterable<Runnable<never, unknown>>): Runnable<never, unknown>[] {
  return [...new Map([...graphs].map((graph) => [graph.name, graph])).values()];
}

/** A run that goes from engine to engine, and the handle that the test has of it. */
class Wandering {
  readonly handle: Handle<unknown>;
  engine: Engine;
  #current: Handle<unknown>;
  readonly #openFor: OpenFor;
  readonly #leave: (engine: Engine) => void;
  readonly #isClosed: () => boolean;
  #moving: Promise<void> | null = null;
  #stays = false;
  #moves = 0;
  #arrived = 0;
  /** Since it last moved, or tried to. */
  #due = false;

  constructor(
    { handle, engine }: Somewhere,
    openFor: OpenFor,
    leave: (engine: Engine) => void,
    isClosed: () => boolean,
  ) {
    this.#current = handle;
    this.engine = engine;
    this.#openFor = openFor;
    this.#leave = leave;
    this.#isClosed = isClosed;
    this.handle = this.#facade();
  }

  /** The same run, in the same engine or one that it was resumed in. */
  goesOnIn({ handle, engine }: Somewhere): void {
    this.#current = handle;
    this.engine = engine;
  }

  get #live(): LiveRun {
    return this.#current as unknown as LiveRun;
  }

  /** A step is over: if nothing of it is at work, the run moves before anything new begins. */
  onStep(run: RunState): void {
    if (this.#stays || this.#moves >= mostHandovers) return;
    this.#due = true;
    if (this.#moving !== null) return;
    // When the body that made the step is out of it, and before anything that came of the step begins.
    this.#moving = Promise.resolve()
      .then(() => whileUnderWay(() => this.#move(run)))
      .catch((error: unknown) => {
        // The test has closed its engine meanwhile: where the run stood, it stays.
        if (!this.#isClosed()) throw error;
      })
      .finally(() => (this.#moving = null));
  }

  #rests(run: RunState): boolean {
    const { runner } = this.#live;
    return runner !== undefined && runner.state === run && runner.active === 0 && runner.busy === 0 && !run.draining;
  }

  async #move(run: RunState): Promise<void> {
    let at = run;
    do {
      this.#due = false;
      await this.#moveFrom(at);
      at = this.#live.runner.state;
    } while (this.#due);
  }

  async #moveFrom(run: RunState): Promise<void> {
    if (this.#stays || run.end !== null || run.seq <= this.#arrived || !this.#rests(run) || this.#live.settling) return;
    const result = await this.#live.drain(true);
    if (result.status !== "drained") return;
    // It goes on with a record of that, and with nothing else it has not come any further.
    this.#arrived = run.seq + 1;
    const moved = await this.#openFor(this.#current.runId);
    if (moved === null) return;
    this.#moves++;
    handovers.count++;
    const left = this.engine;
    this.#current = moved.handle;
    this.engine = moved.engine;
    this.#leave(left);
  }

  /** Where it is now, it stays; resolves when it is there. */
  async stay(): Promise<void> {
    this.#stays = true;
    await this.settled();
  }

  async settled(): Promise<void> {
    while (this.#moving !== null) await this.#moving;
  }

  /** What it comes to where nobody moves it any more. */
  async #result(): Promise<RunResult<unknown>> {
    for (;;) {
      const at = this.#current;
      const result = await at.result();
      await this.settled();
      if (at === this.#current) return result;
    }
  }

  #facade(): Handle<unknown> {
    const after = async <T>(act: (handle: Handle<unknown>) => Promise<T>): Promise<T> => {
      await this.settled();
      return act(this.#current);
    };
    const run = this.#current;
    return {
      runId: run.runId,
      traceId: run.traceId,
      labels: run.labels,
      result: () => this.#result(),
      output: async () => {
        await this.#result();
        return this.#current.output();
      },
      cancel: async (reason) => {
        await this.stay();
        return this.#current.cancel(reason);
      },
      interrupts: () => this.#current.interrupts(),
      answer: (which, value, options) => after((handle) => handle.answer(which, value, options)),
      drain: async () => {
        await this.stay();
        return this.#current.drain();
      },
      send: (name, item) => {
        this.#stays = true;
        return after((handle) => handle.send(name, item));
      },
      end: (name) => this.#now().end(name),
      receive: (name) => this.#now().receive(name),
      stream: (modes, options) => this.#now().stream(modes, options) as never,
      items: (...key) => this.#now().items(...(key as [])) as never,
    };
  }

  /** For whoever reads it live. */
  #now(): Handle<unknown> {
    this.#stays = true;
    return this.#current;
  }
}
