/** What goes wrong in a case, drawn from its seed before anything happens. */
import type { Dice } from "../dice.ts";

/**
 * `kill`: a process is gone. `stall`: it stands still, at times for longer than its lease, and wakes up. `lostCommit`: a commit
 * fails. `unknownCommit`: it is done, and whoever asked for it is told that it failed. `repeatedCommit`: it arrives twice.
 * `outage`: a process does not reach the store for a while. `clockJump`: its wall clock jumps. `lateHint`: hints come late,
 * twice or never. `shutdown`: a process is asked to stop.
 */
export const faultKinds = [
  "kill",
  "stall",
  "lostCommit",
  "unknownCommit",
  "repeatedCommit",
  "outage",
  "clockJump",
  "lateHint",
  "shutdown",
] as const;
export type FaultKind = (typeof faultKinds)[number];

export interface Fault {
  readonly kind: Exclude<FaultKind, "lateHint">;
  /** It strikes at this commit of the world, counted from 1. */
  readonly commit: number;
  /** The commit is done before it strikes. */
  readonly done: boolean;
  /** So many events later; 0: in the commit itself. Commits that fail do so in themselves. */
  readonly events: number;
  /** Of a stall and an outage: how long. Of a jump: how far. Milliseconds. */
  readonly ms: number;
  /** Not the process that commits, but another one. */
  readonly other: boolean;
}

export interface Schedule {
  readonly faults: readonly Fault[];
  readonly lateHints: boolean;
}

export const leaseMs = 3_000;
const hour = 3_600_000;
const inCommit: ReadonlySet<FaultKind> = new Set(["lostCommit", "unknownCommit", "repeatedCommit"]);
/** A kill is what most of the others come to. */
const weights: Readonly<Record<Fault["kind"], number>> = {
  kill: 6,
  stall: 4,
  lostCommit: 2,
  unknownCommit: 2,
  repeatedCommit: 1,
  outage: 1,
  clockJump: 2,
  shutdown: 1,
};

/**
 * @param commits about as many as the case will have
 * @param span events between a commit and what strikes after it, at most
 */
export function drawSchedule(dice: Dice, commits: number, kinds: ReadonlySet<FaultKind>, span: number): Schedule {
  const possible = (Object.keys(weights) as Fault["kind"][]).filter((kind) => kinds.has(kind));
  const many = possible.length === 0 ? 0 : 1 + dice.below(4);
  const faults = Array.from({ length: many }, () => drawFault(dice, commits, possible, span));
  return { faults, lateHints: kinds.has("lateHint") && dice.chance(0.3) };
}

function drawFault(dice: Dice, commits: number, possible: readonly Fault["kind"][], span: number): Fault {
  const kind = drawKind(dice, possible);
  const within = inCommit.has(kind);
  return {
    kind,
    commit: 1 + dice.below(Math.ceil(commits * 1.3)),
    done: dice.chance(0.5),
    events: within || dice.chance(0.5) ? 0 : 1 + dice.below(span),
    ms: drawMs(dice, kind),
    other: !within && dice.chance(0.25),
  };
}

function drawKind(dice: Dice, possible: readonly Fault["kind"][]): Fault["kind"] {
  let left = dice.fraction() * possible.reduce((sum, kind) => sum + weights[kind], 0);
  return possible.find((kind) => (left -= weights[kind]) < 0) ?? (possible.at(-1) as Fault["kind"]);
}

function drawMs(dice: Dice, kind: Fault["kind"]): number {
  if (kind === "clockJump") return Math.round((dice.chance(0.5) ? -1 : 1) * hour * dice.fraction());
  if (kind === "stall") return Math.round(leaseMs * (dice.chance(0.7) ? 1.2 + 3 * dice.fraction() : dice.fraction()));
  return Math.round(200 + 4_000 * dice.fraction());
}

/** In words: what becomes of whom. */
export function tellFault({ kind, ms, done }: Fault, name: string, where: string): string {
  switch (kind) {
    case "kill":
      return `${name} is killed ${where}`;
    case "stall":
      return `${name} stands still for ${ms} ms ${where}`;
    case "lostCommit":
      return `the commit of ${name} fails, and nothing is written`;
    case "unknownCommit":
      return `the commit of ${name} is written, and ${name} is told that it failed`;
    case "repeatedCommit":
      return `the commit of ${name} arrives twice`;
    case "outage":
      return `${name} does not reach the store for ${ms} ms ${where}`;
    case "clockJump":
      return `the clock of ${name} jumps by ${ms} ms`;
    default:
      return `${name} is asked to stop ${done ? "after" : "before"} a commit`;
  }
}
