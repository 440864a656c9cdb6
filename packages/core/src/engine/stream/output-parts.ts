import type { SlotPlan, Template } from "../../model/plan.ts";
import { compile, type Reader } from "../../state/program.ts";
import { isResolved, Resolution } from "../../state/resolution.ts";
import type { RunState } from "../../state/run-state.ts";

/** One key of the output record, or the whole output when it is no record. */
export interface Part {
  readonly key: string | undefined;
  readonly value: unknown;
}

interface Awaited {
  readonly key: string | undefined;
  /** Local indices in the run's own context: what the part is put together from. */
  readonly locals: readonly number[];
  readonly read: Reader;
}

/** The parts of a run's output, each once: when all that it is made of has resolved. */
export class OutputParts {
  readonly #run: RunState;
  #awaited: Awaited[];

  constructor(run: RunState) {
    this.#run = run;
    const { plan } = run.program;
    const output = plan.slots[plan.output] as SlotPlan;
    const part = (key: string | undefined, template: Template): Awaited => ({
      key,
      locals: sourcesIn(template).map((slot) => plan.slots[slot]?.local ?? 0),
      read: compile(plan, output, template),
    });
    const template = output.inputs;
    if (template?.type === "object")
      this.#awaited = template.keys.map((key, i) => part(key, template.values[i] as Template));
    else this.#awaited = template === null ? [] : [part(undefined, template)];
  }

  /** Those that resolved since the last time. One that failed never comes: the result says why. */
  take(): Part[] {
    if (this.#awaited.length === 0) return [];
    const { root } = this.#run;
    const ready = this.#awaited.filter(({ locals }) =>
      locals.every((local) => isResolved(root.states[local] as number)),
    );
    if (ready.length === 0) return [];
    this.#awaited = this.#awaited.filter((part) => !ready.includes(part));
    return ready.filter((part) => hasValue(this.#run, part)).flatMap((part) => readPart(this.#run, part));
  }
}

function hasValue({ root }: RunState, { locals }: Awaited): boolean {
  return locals.every((local) => root.states[local] === Resolution.value || root.states[local] === Resolution.untaken);
}

/** A key that a value lacks fails the run's output, and with it this part. */
function readPart(run: RunState, { key, read }: Awaited): Part[] {
  try {
    return [{ key, value: read(run.root) }];
  } catch {
    return [];
  }
}

function sourcesIn(template: Template): number[] {
  if (template.type === "source") return [template.source.slot];
  if (template.type === "object") return template.values.flatMap(sourcesIn);
  return template.type === "array" ? template.items.flatMap(sourcesIn) : [];
}
