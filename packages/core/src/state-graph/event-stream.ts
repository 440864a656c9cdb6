import { Iteration, type Polled, type Source } from "../engine/stream/iteration.ts";
import type { RunStream, StreamEvent, StreamOptions } from "../engine/stream/events.ts";
import { BodyStarts } from "./body-starts.ts";
import type { GraphEvent, GraphEventsOptions, GraphPlace } from "./graph-events.ts";
import { isPlaceless, projected } from "./projection.ts";
import type { Program } from "./shape.ts";

export const graphModes = ["tasks", "updates", "custom", "interrupts", "output"] as const;

/** Of one event of the run there may be several here: who has had some of them is given that event once more. */
export function runOptions({ after, ...options }: GraphEventsOptions): StreamOptions {
  if (after === undefined) return options;
  const { seq, part } = after;
  return { ...options, after: { seq, part: Math.max(0, part - 1) } };
}

export function graphStream(
  program: Program,
  run: RunStream<StreamEvent>,
  after: GraphPlace | undefined,
): RunStream<GraphEvent> {
  return new Iteration<GraphEvent>(() => new Projection(program, run, after));
}

/** Nothing waits here but what one event of the run came to. */
class Projection implements Source<GraphEvent> {
  readonly #program: Program;
  readonly #run: RunStream<StreamEvent>;
  readonly #after: GraphPlace | undefined;
  readonly #starts: BodyStarts = new BodyStarts();
  #waiting: readonly GraphEvent[] = [];

  constructor(program: Program, run: RunStream<StreamEvent>, after: GraphPlace | undefined) {
    this.#program = program;
    this.#run = run;
    this.#after = after;
  }

  async poll(): Promise<Polled<GraphEvent>> {
    for (;;) {
      const [first, ...rest] = this.#waiting;
      this.#waiting = rest;
      if (first !== undefined) return { value: first };
      const next = await this.#run.next();
      if (next.done === true) return "done";
      this.#waiting = this.#projected(next.value);
    }
  }

  #projected(event: StreamEvent): readonly GraphEvent[] {
    const all = projected(this.#program, event, this.#starts);
    return all.filter((one) => !this.#had(one, event));
  }

  #had({ seq, part, piece }: GraphEvent, run: StreamEvent): boolean {
    const after = this.#after;
    if (after?.seq !== seq || "durable" in run) return false;
    return part < after.part || (part === after.part && piece <= after.piece && !isPlaceless(run));
  }

  close(left: boolean): void {
    if (left) void this.#run.return?.();
  }
}
