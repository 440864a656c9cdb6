/** The processes of a case and the engines in them: opened, killed, stopped and started again. */
import type { MemoryBackend } from "../../backends/memory.ts";
import type { Engine } from "../../engine/api.ts";
import { openEngine } from "../../engine/engine.ts";
import type { Runnable } from "../../model/op.ts";
import type { RunState } from "../../state/run-state.ts";
import { FaultyBackend, type Overseer } from "./faulty-backend.ts";
import { leaseMs } from "./faults.ts";
import { Process } from "./process.ts";
import type { CaseSettings, Subject } from "./subject.ts";
import type { World } from "./world.ts";

/** One process of a worker, from its start to its death. */
export interface Life {
  readonly process: Process;
  readonly store: MemoryBackend;
  readonly worker: number;
  /** The graph as this process runs it. */
  readonly graph: Runnable<unknown, unknown>;
  engine: Engine | null;
  /** It is asked to stop. */
  stopping: boolean;
}

export class Fleet {
  /** Of all workers, the last ones last. */
  readonly lives: Life[] = [];
  readonly faults: string[] = [];
  readonly #world: World;
  readonly #store: MemoryBackend;
  readonly #subject: Subject;
  readonly #settings: CaseSettings;
  readonly #overseer: Overseer;
  /** No more of them start. */
  #over = false;

  constructor(world: World, store: MemoryBackend, subject: Subject, settings: CaseSettings, overseer: Overseer) {
    this.#world = world;
    this.#store = store;
    this.#subject = subject;
    this.#settings = settings;
    this.#overseer = overseer;
  }

  /** Lives that can be asked for something. */
  get open(): Life[] {
    return this.lives.filter(({ process, engine, stopping }) => process.state === "up" && engine !== null && !stopping);
  }

  lifeOf(process: Process): Life | undefined {
    return this.lives.find((life) => life.process === process);
  }

  start(worker: number): void {
    if (this.#over) return;
    const number = this.lives.filter((life) => life.worker === worker).length + 1;
    const process = new Process(this.#world, `w${worker}${number === 1 ? "" : `.${number}`}`, this.lives.length % 2);
    const graph = this.#subject.runnable(process);
    const life: Life = { process, store: this.#store.another(), worker, graph, engine: null, stopping: false };
    this.lives.push(life);
    this.#world.say(`${process.name} starts`);
    this.#open(life).then(
      (engine) => (life.engine = engine),
      (error: unknown) => this.#failedToOpen(life, error),
    );
  }

  #open({ process, store, graph }: Life): Promise<Engine> {
    const { durability, concurrency, runConcurrency, snapshots, maxRecords = Infinity } = this.#settings;
    const subject = this.#subject;
    return openEngine({
      backend: new FaultyBackend(subject.wrap(store), process, this.#overseer),
      graphs: [graph],
      resources: subject.resources(process.machine),
      durability,
      ...(concurrency === undefined ? {} : { concurrency }),
      ...(runConcurrency === undefined ? {} : { runConcurrency }),
      snapshots: snapshots && { after: 1, share: Infinity },
      journalLimits: { maxRecords },
      clock: process.clock,
      entropy: process.entropy,
      warn: () => undefined,
      logLevel: "off",
      check: (run) => this.#check(process, run),
    });
  }

  /** A supervisor starts it again, unless it can never open. */
  #failedToOpen(life: Life, error: unknown): void {
    const { process, worker, store } = life;
    if (process.state === "dead") return;
    this.#world.say(`${process.name} could not open: ${(error as Error).message.split("\n")[0]}`);
    process.kill();
    if ((error as { code?: unknown }).code !== "DatabaseUnavailable")
      this.faults.push(`an engine could not open: ${String(error)}`);
    else this.#world.timer(null, 1_000, () => this.start(worker));
    store.abandon().catch(() => undefined);
  }

  #check(process: Process, run: RunState): void {
    const ownership = process.owned.get(run.runId);
    if (ownership === undefined) return;
    ownership.state = run;
    ownership.seq = run.seq;
    // Not again after steps that have no record: those of ephemeral items.
    if (!run.replaying && !ownership.times.has(run.seq)) ownership.times.set(run.seq, process.clock.now());
    const { check } = this.#settings;
    // What is replayed was looked at when it was lived, and what came of it is with the first step behind it.
    if (check === null || run.replaying) return;
    try {
      check(run);
    } catch (error) {
      this.faults.push(`step ${run.seq} in ${process.name}: ${String(error)}`);
    }
  }

  /** Its lease runs out by itself, or is known to be over at once. */
  kill({ process, store, worker }: Life): void {
    if (process.state === "dead") return;
    const { dice } = this.#world;
    process.kill();
    const lapse = dice.chance(0.4) ? 0 : Math.round(leaseMs * (0.6 + 0.4 * dice.fraction()));
    this.#world.timer(null, lapse, () => void store.abandon());
    this.#world.timer(null, Math.round(dice.fraction() * 4_000), () => this.start(worker));
  }

  stall({ process, store }: Life, ms: number): void {
    if (process.state !== "up") return;
    process.stall();
    const { dice } = this.#world;
    const lapse = Math.round(leaseMs * (0.6 + 0.4 * dice.fraction()));
    if (ms > lapse)
      this.#world.timer(null, lapse, () => {
        if (process.state !== "stalled") return;
        process.lapsed = true;
        void store.abandon();
      });
    this.#world.timer(null, ms, () => this.wake(process));
  }

  /** Its lease is renewed some time after it woke up. */
  wake(process: Process): void {
    if (process.state !== "stalled") return;
    this.#world.say(`${process.name} goes on`);
    process.wake();
    if (!process.lapsed) return;
    this.#world.timer(null, Math.round(this.#world.dice.fraction() * 500), () => {
      if (process.state !== "up") return;
      process.lapsed = false;
      // One that had not opened yet has nothing to renew.
      this.lifeOf(process)
        ?.store.revive()
        .catch(() => undefined);
    });
  }

  shutdown(life: Life): void {
    const { process, engine, worker } = life;
    if (process.state !== "up" || engine === null || life.stopping) return;
    life.stopping = true;
    const over = (): void => {
      if (process.state === "dead") return;
      this.#world.say(`${process.name} has stopped`);
      process.kill();
      void life.store.abandon();
      this.start(worker);
    };
    engine.shutdown({ grace: "5s" }).then(over, over);
  }

  /** The end of the case: nobody starts any more, whoever stands still goes on. */
  settle(): void {
    this.#over = true;
    for (const { process } of this.lives) this.wake(process);
  }
}
