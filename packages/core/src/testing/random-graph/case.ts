import type { Cell } from "../../model/reducer.ts";
import type { Op } from "../../model/op.ts";
import type { Theatre } from "./bodies.ts";
import type { Step } from "./spec.ts";

/** What is shared by all bodies of one random graph, and what they did that the order of events can be seen by. */
export class CaseParts {
  readonly theatre: Theatre;
  /** Ops by the step that made them: the same op wherever its step is run again. */
  readonly ops: Map<Step, Op<unknown, unknown>> = new Map();
  /** Cells that every body may use, by kind. */
  readonly cells: Map<string, Cell<unknown, unknown>> = new Map();
  /** Names of ops, and functions of edges and reduces, that fail for some inputs. */
  readonly mayFail: Set<unknown> = new Set();
  /** Somewhere the outcome depends on which of two came first. */
  racy = false;
  /** An op has a time limit, which virtual time may or may not reach. */
  timed = false;

  constructor(theatre: Theatre) {
    this.theatre = theatre;
  }
}
