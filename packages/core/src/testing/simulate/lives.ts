/** The lives of a run: an engine runs it until it ends, drains or crashes; then the next engine goes on. */
import type { MemoryBackend } from "../../backends/memory.ts";
import { openEngine } from "../../engine/engine.ts";
import type { Engine, Handle, RunResult } from "../../engine/api.ts";
import type { OpCtx } from "../../model/op.ts";
import type { RunState } from "../../state/run-state.ts";
import type { Dice } from "../dice.ts";
import type { RandomGraph, Theatre } from "../random-graph.ts";
import { StagedBackend, type Crash } from "./staged-backend.ts";
import { macrotask, microtasks, Stage } from "./stage.ts";

export const runId = "run";

export interface Settings {
  readonly durability: "sync" | "async";
  readonly concurrency: number | undefined;
  readonly runConcurrency: number | undefined;
}

/** One body that began. */
export interface Entry {
  readonly path: string;
  readonly node: string;
  readonly attempt: number;
  /** Its idempotency key, where the case looks at keys. */
  readonly key: string | undefined;
  /** The record whose step was the last before it; null when nobody saw that. */
  readonly after: number | null;
}

export interface Life {
  readonly entries: readonly Entry[];
  /** `crash`: the engine is gone; `stuck`: it failed, or nothing can happen any more, and the run has not ended. */
  readonly end: "crash" | "stuck" | RunResult<unknown>;
  /** Nothing is left for another life. */
  readonly over: boolean;
  /** The clock when it ended, in milliseconds since 1970. */
  readonly now: number;
  /** Records that were durable when it ended, and the status of the run's row. */
  readonly durable: number;
  readonly status: string;
  readonly state: RunState | null;
  /** What was wrong while it lasted. */
  readonly faults: readonly string[];
}

/** The bodies of a graph play on whatever stage is current. */
export class Playhouse implements Theatre {
  stage: Stage | null = null;
  entries: Entry[] = [];
  /** The record of the step that was taken last. */
  seq = 0;
  readonly #keys: boolean;

  /** @param keys look at every body's idempotency key: a hash each. */
  constructor(keys: boolean) {
    this.#keys = keys;
  }

  enter(ctx: OpCtx): void {
    if (this.stage === null || this.stage.dead) return;
    this.entries.push({
      path: ctx.path,
      node: ctx.node,
      attempt: ctx.attempt,
      key: this.#keys ? ctx.idempotencyKey : undefined,
      after: this.seq,
    });
  }

  /** Every life has a mood of its own. */
  get mood(): number {
    return this.stage?.mood ?? 0;
  }

  wait(): Promise<void> {
    const { stage } = this;
    return new Promise((resolve) => stage?.later(() => (stage.dead ? undefined : resolve())));
  }
}

export interface LifeRequest {
  readonly graph: RandomGraph;
  readonly house: Playhouse;
  readonly store: MemoryBackend;
  readonly settings: Settings;
  readonly dice: Dice;
  readonly name: string;
  /** Milliseconds since 1970 at which it begins. */
  readonly now: number;
  readonly crash: Crash | null;
  /** Asks for a drain or a cancel after so many events. */
  readonly ask: { readonly what: "drain" | "cancel"; readonly after: number } | null;
  readonly check: (run: RunState) => void;
}

const terminal: ReadonlySet<string> = new Set(["completed", "failed", "cancelled"]);

/** The first life starts the run, the others find it. */
export async function live(request: LifeRequest, first: boolean): Promise<Life> {
  const { house, store, crash, dice, name } = request;
  const stage = new Stage(dice, name, request.now);
  house.stage = stage;
  house.entries = [];
  const player = new Player(request, stage, new StagedBackend(store, stage, crash));
  player.begin(first);
  await stage.play(() => player.over);
  const end = stage.dead ? "crash" : (player.result ?? "stuck");
  if (player.result !== null) await player.windDown();
  house.stage = null;
  // What a dead engine still has on its way ends here, lest it acts in the next life.
  await (stage.dead ? macrotask() : microtasks());
  const { lastSeq, status } = (await store.get(runId)) ?? { lastSeq: 0, status: "" };
  await (player.result === null ? store.abandon() : player.close());
  const over = end === "stuck" || terminal.has(status);
  return {
    entries: house.entries,
    end,
    now: stage.clock.now(),
    over,
    durable: lastSeq,
    status,
    state: player.state,
    faults: player.faults,
  };
}

class Player {
  readonly faults: string[] = [];
  state: RunState | null = null;
  readonly #request: LifeRequest;
  readonly #stage: Stage;
  readonly #backend: StagedBackend;
  #engine: Engine | null = null;
  #handle: Handle<unknown> | null = null;
  /** What the engine told of the run. */
  result: RunResult<unknown> | null = null;
  #failed = false;
  #steps = 0;

  constructor(request: LifeRequest, stage: Stage, backend: StagedBackend) {
    this.#request = request;
    this.#stage = stage;
    this.#backend = backend;
  }

  get over(): boolean {
    return this.result !== null || this.#failed;
  }

  begin(first: boolean): void {
    this.#play(first).catch((error: unknown) => {
      this.#failed = true;
      this.faults.push(`the engine failed: ${String(error)}`);
    });
  }

  async #play(first: boolean): Promise<void> {
    const { graph, settings } = this.#request;
    const { durability, concurrency, runConcurrency } = settings;
    const engine = await openEngine({
      backend: this.#backend,
      graphs: [graph.graph],
      durability,
      ...(concurrency === undefined ? {} : { concurrency }),
      ...(runConcurrency === undefined ? {} : { runConcurrency }),
      clock: this.#stage.clock,
      entropy: this.#stage.entropy,
      warn: () => undefined,
      check: (run) => this.#check(run),
    });
    this.#engine = engine;
    this.#handle = first ? await this.#start(engine) : (engine.recovered[0] ?? (await engine.resume(runId)));
    this.result = await this.#handle.result();
    const row = await this.#backend.get(runId);
    if (row?.status !== this.result.status)
      this.faults.push(`I1: told ${this.result.status} while the row says ${row?.status}`);
  }

  #start(engine: Engine): Promise<Handle<unknown>> {
    const { graph } = this.#request;
    return engine.start(graph.graph, graph.spec.input, { id: runId, errors: graph.spec.errors });
  }

  #check(run: RunState): void {
    this.state = run;
    this.#request.house.seq = run.seq;
    try {
      this.#request.check(run);
    } catch (error) {
      this.faults.push(`step ${run.seq}: ${String(error)}`);
    }
    const { ask } = this.#request;
    if (ask === null || run.replaying || this.#steps++ !== ask.after) return;
    this.#stage.later(() => this.#ask(ask.what));
  }

  #ask(what: "drain" | "cancel"): void {
    if (this.#stage.dead || this.over) return;
    const asked = what === "drain" ? this.#handle?.drain() : this.#handle?.cancel("asked to");
    asked?.catch(() => undefined);
  }

  /** Bodies that nobody waits for end too; then nothing of the run may be left (I11). */
  async windDown(): Promise<void> {
    await this.#stage.play(() => this.#stage.quiet);
    if (this.#stage.timers > 0) this.faults.push(`I11: ${this.#stage.timers} timers are left`);
  }

  async close(): Promise<void> {
    await this.#engine?.close();
  }
}
