import type { Cell } from "../../model/reducer.ts";
import type { Graph, Op } from "../../model/op.ts";
import type { Theatre } from "./bodies.ts";
import type { GraphSpec, Step } from "./spec.ts";
import type { Known, Region, Wiring } from "./wiring.ts";

/** A graph that the case calls. */
export interface CalledGraph {
  graph: Graph<unknown, unknown> | null;
  /** Where its body is about to run; null: by itself. */
  home: CallSite | null;
  /** What its body returned when it last ran. */
  returned: readonly Known[];
}

export interface CallSite {
  readonly region: Region;
  readonly inputs: readonly Known[];
  readonly after: readonly Known[];
  /** The call has a time limit. */
  readonly limited: boolean;
}

/** What is shared by all bodies of one random graph, and what they did that the order of events can be seen by. */
export class CaseParts {
  /** False: it has no ephemeral generators, whatever its spec says. */
  ephemeral = true;
  readonly theatre: Theatre;
  /** Makes the steps of a body. */
  readonly run: (parts: CaseParts, wiring: Wiring, steps: readonly Step[]) => void;
  /** By the step that made them: the same op and graph wherever the step is run again. */
  readonly ops: Map<Step, Op<unknown, unknown>> = new Map();
  readonly graphs: Map<Step, CalledGraph> = new Map();
  /** Cells that every body may use, by kind. */
  readonly cells: Map<string, Cell<unknown, unknown>>;
  /** What fails for some inputs: names of ops, functions of edges and reduces. */
  readonly mayFail: Set<unknown> = new Set();
  /** Functions that say one thing in one life of the run and another in the next. */
  readonly fickle: Set<unknown> = new Set();
  /** How many arms of races are being made, one in the other: nothing in them can be unsafe. */
  racing = 0;
  /** Refs of items as they are made: they leave a block in the order they were made in. */
  readonly untouched: Set<unknown> = new Set();
  /** The body of the graph itself. */
  top: Wiring | null = null;
  /** Names of ops whose output has no key `list`. */
  readonly lacking: Set<string> = new Set();
  /** Functions that throw when they are given `undefined`, which what a block left may be. */
  readonly partial: Set<unknown> = new Set();
  /** Somewhere the outcome depends on which of two came first. */
  racy = false;
  /** Ops that may still be made to fail. */
  failing: number;
  /** No op is unsafe. */
  readonly safe: boolean;
  /** Whether `racy` may become true by choice. */
  readonly mayRace: boolean;

  constructor(spec: GraphSpec, theatre: Theatre, cells: Map<string, Cell<unknown, unknown>>, run: CaseParts["run"]) {
    this.safe = spec.safe === true;
    this.failing = spec.failing;
    this.mayRace = spec.racy;
    this.theatre = theatre;
    this.cells = cells;
    this.run = run;
  }
}
