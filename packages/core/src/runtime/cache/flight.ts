import type { Pending } from "../../state/pending.ts";
import type { Runner } from "../runner.ts";

/** Invocations with one key: the leader looks the output up and, if there is none, makes it; the others wait for it. */
export class Flight {
  readonly key: string;
  readonly runner: Runner;
  readonly leader: Pending;
  /** Whoever waits, once. */
  readonly followers: Map<Pending, Runner> = new Map();

  constructor(key: string, runner: Runner, leader: Pending) {
    this.key = key;
    this.runner = runner;
    this.leader = leader;
  }
}
