/** From the addresses of records to the paths that bodies see. */
import type { Plan, ScopePlan, SlotPlan, StreamPlan } from "../../model/plan.ts";
import type { Answer, Happening } from "../reference/happening.ts";

export interface NodePaths {
  /** Sequence number of the record by which this attempt at `path` was over. */
  overAt(path: string, attempt: number): number | undefined;
}

export function nodePathsOf(plan: Plan, happenings: readonly Happening[]): NodePaths {
  const ends = new Map<string, number>();
  const attempts = new Map<string, number>();
  happenings.forEach((happening, i) => {
    if (!isEnd(happening)) return;
    const path = pathOf(plan, happening);
    if (happening.kind === "attemptFailed") attempts.set(`${path} ${happening.attempt}`, i + 1);
    if (happening.kind !== "attemptFailed" || happening.retryAt === null) ends.set(path, i + 1);
  });
  return { overAt: (path, attempt) => ends.get(path) ?? attempts.get(`${path} ${attempt}`) };
}

function isEnd(
  happening: Happening,
): happening is Exclude<Answer, { kind: "frame" }> | Extract<Happening, { kind: "settled" }> {
  return (
    happening.kind === "output" ||
    happening.kind === "eof" ||
    happening.kind === "settled" ||
    happening.kind === "attemptFailed"
  );
}

export function pathOf(plan: Plan, { slot, at }: Pick<Answer, "slot" | "at">): string {
  const node = plan.slots[slot] as SlotPlan;
  const indices = at === 0 ? [] : [...at];
  let path = plan.name;
  let loop = "";
  for (const scope of scopesAround(plan, node.scope)) {
    if (scope.kind === "arm") continue;
    const name = openerOf(plan, scope);
    const index = indices.shift();
    path += `/${without(loop, name)}${scope.kind === "item" ? `[${index}]` : `#${index}`}`;
    if (scope.kind === "iteration") loop = `${name}/`;
  }
  return `${path}/${without(loop, node.name)}`;
}

function openerOf({ streams, slots }: Plan, { stream, block }: ScopePlan): string {
  return stream >= 0 ? (streams[stream] as StreamPlan).segment : (slots[block] as SlotPlan).name;
}

/** Outermost first. */
function scopesAround(plan: Plan, inner: number): ScopePlan[] {
  const scopes: ScopePlan[] = [];
  for (let at = plan.scopes[inner]; at !== undefined && at.parent >= 0; at = plan.scopes[at.parent]) scopes.unshift(at);
  return scopes;
}

/** Inside a loop names are written without its own. */
function without(loop: string, name: string): string {
  return name.startsWith(loop) ? name.slice(loop.length) : name;
}
