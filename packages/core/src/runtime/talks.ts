import type { Body } from "./body.ts";
import type { Recorder } from "./recorder.ts";

/** What the bodies of workflows of one run are at. */
export class Talks {
  /** They wait for what they called. */
  readonly listening: Set<Body> = new Set();
  /** So many were told something and have not run through it yet. */
  turns = 0;

  /** What came back to a body is written with what it calls next, which it does at once: one commit, and not two. */
  flush(recorder: Recorder | null): void {
    if (recorder !== null && this.turns === 0) recorder.flush();
  }
}
