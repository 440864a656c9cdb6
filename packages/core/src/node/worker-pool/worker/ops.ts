import { taskBodies } from "../../../state-graph/task-bodies.ts";

/** What the modules of a pool export that is an op, or a node of a state graph that they export. */
export interface ExportedOp {
  readonly name: string;
  fn(input: never, ctx: object): unknown;
}

export interface FoundOps {
  readonly byName: ReadonlyMap<string, ExportedOp>;
  /** Names that two different ops have. */
  readonly twice: readonly string[];
}

export async function loadOps(modules: readonly string[]): Promise<FoundOps> {
  const byName = new Map<string, ExportedOp>();
  const twice = new Set<string>();
  const graphs: unknown[] = [];
  for (const url of modules) {
    const exports = (await import(url)) as Readonly<Record<string, unknown>>;
    for (const value of Object.values(exports)) {
      if (!isOp(value)) continue;
      graphs.push(value);
      const known = byName.get(value.name);
      if (known !== undefined && known !== value) twice.add(value.name);
      byName.set(value.name, value);
    }
  }
  for (const [name, body] of taskBodies(graphs)) byName.set(name, body);
  return { byName, twice: [...twice] };
}

/** By its public face: the module may have got its `op` from another copy of this package. */
function isOp(value: unknown): value is ExportedOp {
  return typeof value === "function" && typeof (value as { fn?: unknown }).fn === "function";
}
