/** What one life of a run shows: which bodies began, which failed, and whether anything stays behind. */
import type { NodeEvent, Observer } from "../../../src/index.ts";
import { CountingClock } from "../support/counting-clock.ts";
import { aborted } from "./subjects.ts";

/** Bodies that do not belong to the node of the cell. */
const extras = new Set(["go", "safe"]);

export class Stage implements Observer {
  /** Names of the nodes, one per attempt. */
  readonly started: string[] = [];
  readonly failure: Promise<void>;
  readonly clock: CountingClock = new CountingClock();
  #fail!: () => void;
  #waiting: { readonly count: number; readonly resolve: () => void }[] = [];

  constructor() {
    aborted.length = 0;
    this.failure = new Promise((resolve) => (this.#fail = resolve));
  }

  get aborted(): readonly string[] {
    return aborted;
  }

  /** Until so many bodies of the cell are at work. */
  begun(count: number): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push({ count, resolve });
      this.#look();
    });
  }

  attemptStarted({ node }: NodeEvent): void {
    this.started.push(node);
    // A body that has only just been called may not have asked for its signal yet.
    setImmediate(() => this.#look());
  }

  attemptFailed({ retryInMs }: { retryInMs: number | null }): void {
    if (retryInMs === null) this.#fail();
  }

  #look(): void {
    const begun = this.started.filter((name) => !extras.has(name)).length;
    this.#waiting = this.#waiting.filter(({ count, resolve }) => {
      if (count <= begun) resolve();
      return count > begun;
    });
  }
}

let current: Stage | null = null;

export function stage(): Stage {
  if (current === null) throw new Error("nobody is on stage");
  return current;
}

export function newStage(): Stage {
  return (current = new Stage());
}
