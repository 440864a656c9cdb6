import type { Context } from "../../state/context.ts";
import { OpenItems } from "../../state/open-items.ts";
import { programOf, type Program } from "../../state/program.ts";
import { RunState, type RunIdentity } from "../../state/run-state.ts";
import type { Plan } from "../../model/plan.ts";
import type { StreamInstance } from "../../state/stream.ts";
import { openContexts } from "../../state/walk.ts";
import { constantsOf } from "./constants.ts";
import { DataReader } from "./data.ts";
import { kinds, type NodeKind } from "./nodes.ts";
import { runFields } from "./run-fields.ts";

type SavedNode = readonly [kind: number, head: unknown, ...fields: unknown[]];

/** Makes all objects first, and then gives them their fields: they refer to each other in any way. */
export class StateReader {
  readonly #data: DataReader;
  readonly #saved: readonly SavedNode[];
  readonly #made: readonly object[];

  constructor(program: Program, root: Context, saved: readonly SavedNode[]) {
    this.#data = new DataReader(constantsOf(program.plan));
    this.#saved = saved;
    this.#made = saved.map(([kind, head], i) =>
      i === 0 ? root : (kinds[kind] as NodeKind<object>).make(program, head as never),
    );
  }

  data(form: unknown): unknown {
    return this.#data.read(form);
  }

  node(id: number): object | null {
    return id === 0 ? null : (this.#made[id - 1] as object);
  }

  fill(): void {
    this.#saved.forEach(([kind, , ...fields], i) =>
      this.fields((kinds[kind] as NodeKind<object>).fields, this.#made[i] as object, fields),
    );
  }

  fields<T extends object>(fields: NodeKind<T>["fields"], object: T, saved: readonly unknown[]): void {
    Object.entries(fields).forEach(([name, field], i) => {
      const value = field.load(this, saved[i], object);
      if (field.inPlace !== true) (object as Record<string, unknown>)[name] = value;
    });
  }
}

/** The state that `saveState` wrote, of a run that is being replayed. */
export function loadState(text: string, plan: Plan, identity: RunIdentity, raise: boolean): RunState {
  const program = programOf(plan);
  const [fields, nodes] = JSON.parse(text) as [unknown[], SavedNode[]];
  const run = new RunState(program, identity, raise);
  run.replaying = true;
  run.journaled = true;
  const reader = new StateReader(program, run.root, nodes);
  reader.fields(runFields, run, fields);
  reader.fill();
  for (const { streams } of openContexts(run.root))
    for (const stream of streams ?? []) stream.byIndex = OpenItems.of(openItems(stream), stream.yielded);
  return run;
}

function* openItems({ first }: StreamInstance): Generator<Context> {
  for (let item = first; item !== null; item = item.next) yield item;
}
