/** The lives of a run: an engine runs it until it ends, drains or crashes; then the next engine goes on. */
import type { MemoryBackend } from "../../backends/memory.ts";
import { openEngine } from "../../engine/engine.ts";
import type { Engine, Handle, RunResult } from "../../engine/api.ts";
import type { ForkOptions } from "../../engine/fork-options.ts";
import type { CustomEvent } from "../../engine/stream/events.ts";
import type { Durability } from "../../runtime/outcome.ts";
import type { RunState } from "../../state/run-state.ts";
import type { Backend, RunRow } from "../../ports/backend.ts";
import { MillraceError } from "../../base/error.ts";
import { SlotKind } from "../../model/plan.ts";
import type { Interrupt } from "../../events/interrupt.ts";
import { answerTo, verdictOn } from "../random-graph/make-outside.ts";
import type { Dice } from "../dice.ts";
import type { RandomGraph } from "../random-graph.ts";
import type { Entry, Playhouse } from "./playhouse.ts";
import { StagedBackend, type Crash } from "./staged-backend.ts";
import { macrotask, microtasks, Stage } from "./stage.ts";

export const runId = "run";

export interface Settings {
  readonly durability: Durability;
  readonly concurrency: number | undefined;
  readonly runConcurrency: number | undefined;
  /** A snapshot with every commit. Default: none. */
  readonly snapshots?: boolean;
  /** Records that the journal may have; absent: as many as there are. */
  readonly maxRecords?: number | undefined;
}

export interface Life {
  readonly entries: readonly Entry[];
  /** `crash`: the engine is gone; `left`: the run ended behind its player's back; `stuck`: it failed, or nothing can happen any more, and the run has not ended. */
  readonly end: "crash" | "stuck" | "left" | RunResult<unknown>;
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
  /** By record: the clock at its step. */
  readonly times: ReadonlyMap<number, number>;
  /** What its engine told of emissions; null: nobody listened. */
  readonly told: readonly Emission[] | null;
}

export type Emission = Pick<CustomEvent, "seq" | "path" | "value" | "of" | "reset">;

export interface LifeRequest {
  readonly graph: RandomGraph;
  readonly house: Playhouse;
  readonly store: MemoryBackend;
  /** Default: `run`. */
  readonly id?: string;
  /** The run is no new one, but a fork of another one that has ended. */
  readonly fork?: ForkOptions & { readonly of: string };
  readonly settings: Settings;
  readonly dice: Dice;
  readonly name: string;
  /** Milliseconds since 1970 at which it begins. */
  readonly now: number;
  readonly crash: Crash | null;
  /** Asks for a drain or a cancel after so many events. */
  readonly ask: { readonly what: "drain" | "cancel"; readonly after: number } | null;
  readonly check: (run: RunState) => void;
  /** What the engine is given the store through. */
  readonly wrap: (backend: Backend) => Backend;
  /** It may end when the run only waits for answers. */
  readonly mayLeave: boolean;
}

/** Why an answer may come too late. */
const refusals: ReadonlySet<string> = new Set([
  "InterruptNotFound",
  "InterruptAnswered",
  "InvalidValue",
  "RunEnded",
  "RunDrained",
  "EngineClosed",
]);

const terminal: ReadonlySet<string> = new Set(["completed", "failed", "cancelled"]);

/** The first life starts the run, the others find it. */
export async function live(request: LifeRequest, first: boolean): Promise<Life> {
  const { house, store, crash, dice, name } = request;
  const stage = new Stage(dice, name, request.now);
  house.stage = stage;
  house.entries = [];
  const player = new Player(request, stage, request.wrap(new StagedBackend(store, stage, crash)));
  stage.onIdle = () => player.answerOne();
  player.begin(first);
  await stage.play(() => player.over);
  const end = stage.dead ? "crash" : (player.result ?? (player.left ? "left" : "stuck"));
  if (player.result !== null) await player.windDown();
  house.stage = null;
  // What a dead engine still has on its way ends here, lest it acts in the next life.
  await (stage.dead ? macrotask() : microtasks());
  const closed = player.result !== null && (await player.close());
  if (!closed) await store.abandon();
  const { lastSeq, status } = await rowIn(store.another(), player.id);
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
    times: player.times,
    told: player.told,
  };
}

async function rowIn(
  reader: MemoryBackend,
  id: string,
): Promise<Pick<RunRow, "lastSeq"> & { readonly status: string }> {
  await reader.open("who looks after it");
  const row = (await reader.get(id)) ?? { lastSeq: 0, status: "" };
  await reader.close();
  return row;
}

class Player {
  readonly faults: string[] = [];
  state: RunState | null = null;
  readonly times: Map<number, number> = new Map();
  told: Emission[] = [];
  readonly #request: LifeRequest;
  readonly #stage: Stage;
  readonly #backend: Backend;
  #engine: Engine | null = null;
  #handle: Handle<unknown> | null = null;
  /** What the engine told of the run. */
  result: RunResult<unknown> | null = null;
  #failed = false;
  /** It was put aside, and has ended since: an answer or a cancel was under way. */
  left = false;
  #asked = false;
  /** Ends with the stream of what is emitted. */
  #reading: Promise<void> = Promise.resolve();
  #steps = 0;

  constructor(request: LifeRequest, stage: Stage, backend: Backend) {
    this.#request = request;
    this.#stage = stage;
    this.#backend = backend;
  }

  get #asks(): boolean {
    return this.#request.graph.plan.slots.some(({ kind, op }) => kind === SlotKind.ask || op?.effect === "unsafe");
  }

  get id(): string {
    return this.#request.id ?? runId;
  }

  get over(): boolean {
    return this.result !== null || this.#failed;
  }

  begin(first: boolean): void {
    this.#play(first).catch((error: unknown) => {
      this.#failed = true;
      this.left = error instanceof MillraceError && error.code === "RunEnded";
      if (!this.left) this.faults.push(`the engine failed: ${String(error)}`);
    });
  }

  async #play(first: boolean): Promise<void> {
    const { graph, settings } = this.#request;
    const { durability, concurrency, runConcurrency, snapshots, maxRecords = Infinity } = settings;
    const engine = await openEngine({
      backend: this.#backend,
      graphs: [graph.graph],
      durability,
      journalLimits: { maxRecords },
      ...(concurrency === undefined ? {} : { concurrency }),
      ...(runConcurrency === undefined ? {} : { runConcurrency }),
      snapshots: snapshots === true && { after: 1, share: Infinity },
      clock: this.#stage.clock,
      entropy: this.#stage.entropy,
      warn: () => undefined,
      check: (run) => this.#check(run),
    });
    this.#engine = engine;
    this.#handle = first ? await this.#start(engine) : await this.#goOn(engine);
    let result = await this.#follow(this.#handle);
    while (result.status === "interrupted" && !(this.#request.mayLeave && this.#request.dice.chance(0.4))) {
      this.#handle = await this.#goOn(engine);
      result = await this.#follow(this.#handle);
    }
    this.result = result;
  }

  async #follow(handle: Handle<unknown>): Promise<RunResult<unknown>> {
    if (this.#emits) this.#listen(handle);
    const result = await handle.result();
    const row = await this.#backend.get(this.id);
    // Somebody may have answered meanwhile.
    const goesOn = result.status === "interrupted" && row?.status === "running";
    if (row?.status !== result.status && !goesOn)
      this.faults.push(`I1: told ${result.status} while the row says ${row?.status}`);
    return result;
  }

  get #emits(): boolean {
    return this.#request.graph.plan.slots.some(({ kind }) => kind === SlotKind.emit);
  }

  /** Whoever begins to follow a run is told of everything from its start. */
  #listen(handle: Handle<unknown>): void {
    this.told = [];
    const { told } = this;
    const read = async (): Promise<void> => {
      for await (const event of handle.stream("custom")) told.push(event);
    };
    this.#reading = read().catch(() => undefined);
  }

  /** The run is an orphan, or was drained, or waits for answers: then the first thing may be one. */
  async #goOn(engine: Engine): Promise<Handle<unknown>> {
    const [orphan] = engine.recovered;
    if (orphan !== undefined && this.result === null && this.#handle === null) return orphan;
    const questions = (await engine.get(this.id))?.interrupts ?? [];
    const { dice } = this.#request;
    if (questions.length === 0 || (this.#handle === null && dice.chance(0.3))) return engine.resume(this.id);
    const question = dice.of(questions);
    try {
      return await engine.answer(this.id, question.path, this.#answerTo(question));
    } catch (error) {
      this.#expectRefusal(error);
      return engine.resume(this.id);
    }
  }

  /** One of the open questions, at times by an answer that is none. False when there is nothing to answer. */
  answerOne(): boolean {
    if (this.#stage.dead || this.over || this.#handle === null || this.#asked) return false;
    const { dice } = this.#request;
    const open = this.#handle.interrupts();
    if (open.length === 0) return false;
    const question = dice.of(open);
    const { path, id, node } = question;
    const which = dice.chance(0.5) ? path : open.filter((other) => other.node === node).length > 1 ? id : node;
    const wrong = dice.chance(0.1);
    this.#handle.answer(which, wrong ? "nothing" : this.#answerTo(question)).then(
      () => wrong && this.faults.push(`${path} took an answer that is none`),
      (error: unknown) => this.#expectRefusal(error),
    );
    return true;
  }

  #answerTo({ path, node }: Interrupt): unknown {
    const { graph, dice } = this.#request;
    const slot = graph.plan.slots.find(({ name, op }) => name === node && op !== null);
    return slot === undefined ? answerTo(path) : verdictOn(path, slot.stream >= 0, dice.fraction());
  }

  #expectRefusal(error: unknown): void {
    const code = error instanceof MillraceError ? error.code : String(error);
    // An answer to what had gone on in an engine that was closed meanwhile.
    if (!refusals.has(code) && this.result === null) this.faults.push(`an answer was refused: ${String(error)}`);
  }

  #start(engine: Engine): Promise<Handle<unknown>> {
    const { graph, fork } = this.#request;
    const { id } = this;
    if (fork !== undefined) {
      const { of, ...options } = fork;
      return engine.fork(of, { ...options, id });
    }
    return engine.start(graph.graph, graph.spec.input, { id, errors: graph.spec.errors });
  }

  #check(run: RunState): void {
    const { house, check } = this.#request;
    if (this.state !== run) house.session++;
    house.asides.follow(run);
    this.state = run;
    const isRecorded = house.seq !== run.seq; // Of several steps of one number the first.
    house.seq = run.seq;
    if (!run.replaying) this.#dieBetweenCommits(run);
    try {
      check(run);
    } catch (error) {
      this.faults.push(`step ${run.seq}: ${String(error)}`);
    }
    if (!run.replaying) this.#lived(run, isRecorded);
  }

  /** The step was none of a replay. */
  #lived({ seq }: RunState, isRecorded: boolean): void {
    const { ask, dice } = this.#request;
    if (isRecorded && !this.#recalls) this.times.set(seq, this.#stage.clock.now());
    if (this.#asks && dice.chance(0.3)) this.#stage.later(() => void this.answerOne());
    if (ask === null || this.#steps++ !== ask.after) return;
    this.#stage.later(() => this.#ask(ask.what));
  }

  /** Where nothing is written for long, a process dies at any step: most often with nothing of it durable. */
  #dieBetweenCommits({ seq }: RunState): void {
    const { crash, settings } = this.#request;
    if (settings.durability !== "exit" || this.#handle === null || crash === null || crash.commits) return;
    if (seq >= crash.seq) this.#stage.dieSoon();
  }

  /** What a fork kept is of the origin's time, and with a patch it may come at any time. */
  get #recalls(): boolean {
    const { fork } = this.#request;
    return fork !== undefined && (this.#handle === null || fork.patch !== undefined || fork.of !== runId);
  }

  #ask(what: "drain" | "cancel"): void {
    if (this.#stage.dead || this.over) return;
    // An answer would wake what was drained.
    this.#asked = true;
    const asked = what === "drain" ? this.#handle?.drain() : this.#handle?.cancel("asked to");
    asked?.catch(() => undefined);
  }

  /** Bodies that nobody waits for end too; then nothing of the run may be left (I11). */
  async windDown(): Promise<void> {
    await this.#stage.play(() => this.#stage.quiet);
    if (this.#emits && this.result?.status === "completed") await this.#reading;
    if (this.#stage.timers > 0 && this.result?.status !== "interrupted")
      this.faults.push(`I11: ${this.#stage.timers} timers are left`);
  }

  /**
   * What it still writes takes its time. False: the process died before it was through, and nothing answers it any more: a
   * run that was put aside may have gone on, and have met its crash since.
   */
  async close(): Promise<boolean> {
    if (this.#stage.dead) return false;
    let closed = false;
    const closing = this.#engine?.close().finally(() => (closed = true));
    await this.#stage.play(() => closed);
    if (this.#stage.dead) await macrotask();
    else await closing;
    return closed;
  }
}
