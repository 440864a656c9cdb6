import type { Body } from "./body.ts";
import { stopWaiting } from "./generators.ts";
import type { Recorder } from "./recorder.ts";

/** What the bodies of workflows of one run are at. */
export class Talks {
  /** They wait for what they called. */
  readonly listening: Set<Body> = new Set();
  /** They wait for something that is no call. */
  readonly alone: Set<Body> = new Set();
  /** The process died over the run before: what a body is told until it makes its next call may be what it dies of. */
  crashed = false;
  /** M11: of that life. */
  readonly careful: Set<Body> = new Set();
  /** M11: they are told more when all that is recorded is durable. */
  readonly held: Set<Body> = new Set();
  /** So many were told something and have not run through it yet. */
  turns = 0;

  /** What came back to a body is written with what it calls next, which it does at once: one commit, and not two. */
  flush(recorder: Recorder | null): void {
    if (recorder !== null && (this.turns === 0 || this.careful.size > 0)) recorder.flush();
  }

  /** The run is drained: nothing of it is under way in bodies that wait for something of their own. */
  leave(): void {
    for (const body of this.alone) stopWaiting(body);
  }
}
