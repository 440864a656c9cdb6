/** The people of a case: whoever starts the runs and waits for them, answers their questions, and reads along. */
import { MillraceError } from "../../base/error.ts";
import type { Engine, Handle } from "../../engine/api.ts";
import type { Interrupt } from "../../events/interrupt.ts";
import { interruptsOf } from "../../runtime/questions.ts";
import type { StreamMode } from "../../engine/stream/events.ts";
import type { Backend } from "../../ports/backend.ts";
import type { Fleet, Life } from "./fleet.ts";
import type { Process } from "./process.ts";
import type { Subject } from "./subject.ts";
import type { Track } from "./track.ts";
import type { World } from "./world.ts";

export const readModes: readonly StreamMode[] = ["tasks", "updates", "custom"];

/** Why something asked for may be refused, whoever is right: somebody else was first, or the process is in trouble. */
const refusals: ReadonlySet<string> = new Set([
  // A reading that was under way when its engine closed.
  "BackendNotOpen",
  "DatabaseUnavailable",
  "EngineClosed",
  "InterruptAnswered",
  "InterruptNotFound",
  "LeaseLost",
  "RunDrained",
  "RunElsewhere",
  "RunEnded",
  "RunExists",
  "RunNotFound",
]);
const againMs = 2_500;

export class Client {
  readonly faults: string[] = [];
  answers = 0;
  readonly #world: World;
  readonly #fleet: Fleet;
  readonly #subject: Subject;
  readonly #tracks: readonly Track[];
  /** On the store itself. */
  readonly #store: Backend;
  /** What runs asked behind that record, as somebody was told. */
  readonly #asked: Map<Track, { readonly seq: number; readonly interrupts: readonly Interrupt[] }> = new Map();

  constructor(world: World, fleet: Fleet, subject: Subject, tracks: readonly Track[], store: Backend) {
    this.#world = world;
    this.#fleet = fleet;
    this.#subject = subject;
    this.#tracks = tracks;
    this.#store = store;
  }

  /** From whichever worker, until it is there. */
  start(track: Track, number: number): void {
    if (track.current !== undefined) return;
    this.#world.timer(null, againMs, () => this.start(track, number));
    const life = this.#someone();
    if (life === null) return;
    const { errors, context } = this.#subject;
    const options = { id: track.id, errors, ...(context === undefined ? {} : { context }) };
    life.engine
      ?.start(life.graph, this.#subject.input(number), options)
      .then((handle) => this.#follow(track, handle, life.process), this.#refused("a start"));
  }

  #someone(): Life | null {
    const { open } = this.#fleet;
    return open.length === 0 ? null : this.#world.dice.of(open);
  }

  #refused(what: string): (error: unknown) => void {
    return (error) => {
      if (error instanceof MillraceError && refusals.has(error.code)) return;
      this.faults.push(`${what} was refused: ${String(error)}`);
    };
  }

  #follow(track: Track, handle: Handle<unknown>, process: Process): void {
    handle.result().then(async (result) => {
      track.told.push({ by: process.name, result });
      const row = await this.#store.get(track.id);
      const ended = ["completed", "failed", "cancelled"].includes(result.status);
      if (ended && row?.status !== result.status)
        track.faults.push(`I1: ${process.name} said ${result.status} while the row says ${row?.status}`);
    }, this.#refused("a result"));
  }

  /** One of the open questions of a run, at times told to two processes at once. False: there is nobody to tell. */
  answerOne(): boolean {
    const { dice } = this.#world;
    const open = this.#tracks.filter((track) => track.asks);
    const life = this.#someone();
    if (open.length === 0 || life === null) return false;
    const track = dice.of(open);
    this.#answerIn(life, track);
    const other = dice.chance(0.15) ? this.#someone() : null;
    if (other !== null) this.#answerIn(other, track);
    return true;
  }

  #answerIn({ engine, process }: Life, track: Track): void {
    if (engine === null) return;
    const act = async (): Promise<void> => {
      const here = hereOf(track, process);
      const { current } = track;
      const interrupts = here ?? (await this.#questionsOf(track, engine));
      if (interrupts.length === 0) return;
      const question = this.#world.dice.of(interrupts);
      const value = this.#subject.answer(question, this.#world.dice.fraction());
      if (value === undefined) return;
      this.#world.say(`${question.path} is answered by way of ${process.name}`);
      this.answers++;
      const handle = await engine.answer(track.id, question.path, value, { by: process.name });
      const isRecord = here !== null && track.current === current;
      track.promised.push({ path: question.path, by: process.name, isRecord });
      this.#follow(track, handle, process);
    };
    act().catch(this.#refused("an answer"));
  }

  /** Whoever has been told asks again when there is another record. */
  async #questionsOf(track: Track, engine: Engine): Promise<readonly Interrupt[]> {
    const asked = this.#asked.get(track);
    if (asked?.seq === track.lastSeq) return asked.interrupts;
    const run = await engine.get(track.id);
    if (run === undefined) return [];
    this.#asked.set(track, { seq: run.lastSeq, interrupts: run.interrupts });
    return run.interrupts;
  }

  /** Reads a run along where it is, as far as it comes. */
  read(track: Track): void {
    const life = this.#fleet.open.find(({ process }) => process.owned.get(track.id) === track.current);
    const engine = life?.engine ?? null;
    if (life === undefined || engine === null || track.current === undefined) return;
    const reading = { by: life.process.name, events: [] as (typeof track.readings)[number]["events"] };
    const read = async (): Promise<void> => {
      const stream = await engine.stream(track.id, readModes);
      track.readings.push(reading);
      for await (const event of stream) reading.events.push(event);
    };
    // It ends with the process, or when the run moves on.
    read().catch(() => undefined);
  }
}

/** What a process knows of the run that it drives, durable or not; null: it does not drive it. */
function hereOf({ id, current }: Track, { owned }: Process): readonly Interrupt[] | null {
  const state = current !== undefined && owned.get(id) === current ? current.state : null;
  return state === null ? null : interruptsOf(state);
}
