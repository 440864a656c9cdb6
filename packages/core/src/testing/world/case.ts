/** One case: some workers bring some runs to their end, while what was scheduled goes wrong. */
import { memory, type MemoryBackend } from "../../backends/memory.ts";
import { SlotKind, type Plan } from "../../model/plan.ts";
import {
  endedStatuses,
  type Append,
  type AppendResult,
  type CreateResult,
  type NewRun,
  type RunRow,
} from "../../ports/backend.ts";
import type { Dice } from "../dice.ts";
import { Client } from "./client.ts";
import { tellFault, type Fault, type FaultKind, type Schedule } from "./faults.ts";
import type { Overseer, Striking } from "./faulty-backend.ts";
import { Fleet, type Life } from "./fleet.ts";
import type { Process } from "./process.ts";
import type { CaseSettings, Subject } from "./subject.ts";
import { Track } from "./track.ts";
import { World } from "./world.ts";

/** What is known of a case when it is over. */
export interface PlayedCase {
  readonly tracks: readonly Track[];
  readonly faults: readonly string[];
  readonly log: readonly string[];
  readonly store: MemoryBackend;
  readonly struck: Readonly<Partial<Record<FaultKind, number>>>;
  /** Clocks did not all say the same. */
  readonly jumped: boolean;
  readonly commits: number;
  readonly events: number;
  readonly answers: number;
}

const began = 1_700_000_000_000;
/** A case that takes longer goes round in circles. */
const mostEvents = 300_000;
const settleEvents = 5_000;
/** After a close, in milliseconds. */
const graceMs = 1_000;

export async function playCase(
  subject: Subject,
  settings: CaseSettings,
  schedule: Schedule,
  dice: Dice,
): Promise<PlayedCase> {
  const played = new Case(subject, settings, schedule, dice);
  await played.play();
  return played.result();
}

class Case implements Overseer {
  readonly #world: World;
  readonly #store: MemoryBackend = memory();
  readonly #fleet: Fleet;
  readonly #client: Client;
  readonly #tracks: readonly Track[];
  readonly #settings: CaseSettings;
  readonly #schedule: Schedule;
  readonly #asks: boolean;
  readonly #faults: string[] = [];
  readonly #struck: Partial<Record<FaultKind, number>> = {};
  /** What strikes when so many events have happened. */
  #ahead: { readonly at: number; readonly strike: () => void }[] = [];
  #commits = 0;

  constructor(subject: Subject, settings: CaseSettings, schedule: Schedule, dice: Dice) {
    this.#settings = settings;
    this.#schedule = schedule;
    this.#asks = asks(subject.plan);
    this.#world = new World(dice, began);
    this.#tracks = Array.from({ length: settings.runs }, (_, i) => new Track(`run${i === 0 ? "" : i + 1}`));
    this.#fleet = new Fleet(this.#world, this.#store, subject, settings, this);
    this.#client = new Client(this.#world, this.#fleet, subject, this.#tracks, this.#store);
    this.#world.onIdle = () => this.#idle();
    this.#world.onEvent = () => this.#strikeAhead();
  }

  async play(): Promise<void> {
    await this.#store.open("the judge");
    const { workers } = this.#settings;
    for (let worker = 1; worker <= workers; worker++) this.#fleet.start(worker);
    this.#tracks.forEach((track, i) => this.#world.later(null, () => this.#client.start(track, i)));
    this.#world.wakes = () => this.#nextWake();
    const ended = (): boolean => this.#tracks.every((track) => track.ended);
    await this.#world.play(() => ended() || this.#refused, mostEvents);
    if (!ended() && !this.#refused) this.#stuck();
    await this.#end(ended());
  }

  /** What was asked for is refused, or no engine opens: that it goes no further says nothing more, and asking again is endless. */
  get #refused(): boolean {
    return this.#client.faults.length > 0 || this.#fleet.faults.length > 0;
  }

  /** Runs at rest, whoever knows their time. */
  #nextWake(): number | null {
    const times = this.#tracks.flatMap(({ wakeAt, ended }) => (ended || wakeAt === null ? [] : [wakeAt]));
    return times.length === 0 ? null : Math.min(...times);
  }

  #idle(): boolean {
    return this.#asks && this.#world.dice.chance(0.7) && this.#client.answerOne();
  }

  /** I7 */
  #stuck(): void {
    const { events } = this.#world;
    const open = this.#tracks.filter(({ ended }) => !ended).map(({ id }) => id);
    const waiting = this.#fleet.open.flatMap(({ process }) =>
      [...process.outside].filter(([, count]) => count > 0).map(([path]) => path),
    );
    const idle = events >= mostEvents ? `after ${events} events there is no end of it` : "nobody wakes it";
    const why =
      waiting.length === 0
        ? idle
        : `bodies wait for something that is not of the simulation (a timer, I/O, another body): ${waiting.slice(0, 5).join(", ")}`;
    this.#faults.push(`I7: ${open.join(", ")} never ended: ${why}`);
  }

  /** Whoever stood still goes on, everybody closes, and nothing may be left (I11). */
  async #end(over: boolean): Promise<void> {
    this.#ahead = [];
    this.#fleet.settle();
    await this.#world.play(() => this.#world.quiet, settleEvents);
    const { lives } = this.#fleet;
    let open = 0;
    for (const life of lives) {
      if (life.engine === null || life.process.state !== "up") continue;
      open++;
      life.process.cutOffUntil = 0;
      life.engine.close().then(
        () => open--,
        (error: unknown) => this.#faults.push(`${life.process.name} did not close: ${String(error)}`),
      );
    }
    const closed = await this.#world.play(() => open === 0, settleEvents);
    if (!closed) this.#faults.push(`I11: ${open} engines did not close`);
    if (over && closed)
      await this.#checkLeft(lives.filter(({ process, engine }) => process.state === "up" && engine !== null));
  }

  /** I11. Whoever waited for a run that goes on elsewhere hears of the close when it looks again. */
  async #checkLeft(closed: readonly Life[]): Promise<void> {
    const world = this.#world;
    const until = world.now + graceMs;
    const left = (): Life[] => closed.filter(({ process }) => world.pendingOf(process) > 0);
    world.timer(null, graceMs, () => undefined);
    await world.play(() => left().length === 0 || world.now >= until, settleEvents);
    for (const { process } of left())
      this.#faults.push(`I11: ${world.pendingOf(process)} timers of ${process.name} are left after it closed`);
  }

  result(): PlayedCase {
    return {
      tracks: this.#tracks,
      faults: [...this.#faults, ...this.#fleet.faults, ...this.#client.faults],
      log: this.#world.log,
      store: this.#store,
      struck: this.#struck,
      jumped: (this.#struck.clockJump ?? 0) > 0,
      commits: this.#commits,
      events: this.#world.events,
      answers: this.#client.answers,
    };
  }

  // ---- what the processes do -------------------------------------------------------------------------------------

  commit(process: Process, what: string): Striking | null {
    const number = ++this.#commits;
    this.#world.progress();
    const due = this.#schedule.faults.filter(({ commit }) => commit === number);
    let striking: Striking | null = null;
    for (const fault of due) {
      const victim = this.#victimOf(fault, process);
      if (victim === null) continue;
      if (fault.events > 0 || victim.process !== process) this.#later(fault, victim);
      else striking ??= this.#inCommit(fault, victim, what);
    }
    return striking;
  }

  #victimOf(fault: Fault, process: Process): Life | null {
    const others = this.#fleet.open.filter((life) => life.process !== process);
    if (fault.other && others.length > 0) return this.#world.dice.of(others);
    return this.#fleet.lifeOf(process) ?? null;
  }

  #later(fault: Fault, victim: Life): void {
    const at = this.#world.events + fault.events;
    this.#ahead.push({ at, strike: () => this.#strike(fault, victim, `${fault.events} events later`) });
  }

  #strikeAhead(): void {
    if (this.#ahead.length === 0) return;
    const due = this.#ahead.filter(({ at }) => at <= this.#world.events);
    this.#ahead = this.#ahead.filter(({ at }) => at > this.#world.events);
    for (const { strike } of due) strike();
  }

  #inCommit(fault: Fault, victim: Life, what: string): Striking {
    const { kind, done } = fault;
    if (kind === "lostCommit" || kind === "unknownCommit" || kind === "repeatedCommit") {
      this.#tell(fault, victim, `in ${what}`);
      return { kind, strike: () => undefined };
    }
    const where = `${done ? "after" : "before"} its commit of ${what}`;
    return { kind: done ? "after" : "before", strike: () => this.#strike(fault, victim, where) };
  }

  #tell(fault: Fault, { process }: Life, where: string): void {
    this.#struck[fault.kind] = (this.#struck[fault.kind] ?? 0) + 1;
    this.#world.say(`${tellFault(fault, process.name, where)}${fault.kind.endsWith("Commit") ? ` ${where}` : ""}`);
  }

  #strike(fault: Fault, victim: Life, where: string): void {
    const { process } = victim;
    if (process.state !== "up" || victim.stopping) return;
    this.#tell(fault, victim, where);
    if (fault.kind === "kill") this.#fleet.kill(victim);
    else if (fault.kind === "stall") this.#fleet.stall(victim, fault.ms);
    else if (fault.kind === "outage") process.cutOffUntil = this.#world.now + fault.ms;
    else if (fault.kind === "clockJump") process.skew += fault.ms;
    else if (fault.kind === "shutdown") this.#fleet.shutdown(victim);
  }

  created(process: Process, run: NewRun, result: CreateResult): void {
    const track = this.#trackOf(run.id);
    if (track === undefined || result.type !== "created") return;
    process.owned.set(run.id, track.created(process, run.first.count, run.first.chain));
    this.#world.say(`${process.name} starts ${run.id}`);
  }

  appended(process: Process, append: Append, result: AppendResult): void {
    const track = this.#trackOf(append.runId);
    if (track === undefined) return;
    track.appended(process.name, append, result);
    const { status, row } = append;
    if (result.type === "lost") this.#world.say(`${process.name} is refused record ${row.firstSeq} of ${append.runId}`);
    else if (status !== undefined)
      this.#world.say(`${process.name} writes record ${row.firstSeq + row.count - 1}: ${status}`);
    const { dice } = this.#world;
    if (this.#asks && dice.chance(0.25) && track.asks) this.#world.later(null, () => this.#client.answerOne());
    if (this.#settings.reads && dice.chance(0.1)) this.#world.later(null, () => this.#client.read(track));
  }

  claimed(process: Process, rows: readonly RunRow[]): void {
    for (const row of rows) {
      const track = this.#trackOf(row.id);
      if (track === undefined || row.owner === null || endedStatuses.has(row.status)) continue;
      this.#world.progress();
      process.owned.set(row.id, track.claimed(process, row));
      this.#world.say(`${process.name} takes ${row.id} over behind record ${row.lastSeq}, epoch ${row.epoch}`);
    }
  }

  hint(process: Process, tell: () => void): void {
    const { dice } = this.#world;
    if (!this.#schedule.lateHints) {
      process.later(tell);
      return;
    }
    this.#struck.lateHint = (this.#struck.lateHint ?? 0) + 1;
    const times = dice.below(3);
    for (let i = 0; i < times; i++) this.#world.timer(null, dice.below(3_000), () => process.reach(tell), true);
  }

  #trackOf(runId: string): Track | undefined {
    return this.#tracks.find(({ id }) => id === runId);
  }
}

function asks({ slots }: Plan): boolean {
  return slots.some(({ kind, op }) => kind === SlotKind.ask || op?.effect === "unsafe");
}
