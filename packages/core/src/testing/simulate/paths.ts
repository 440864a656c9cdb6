/** From the addresses of records to the paths that bodies see. */
import type { Plan } from "../../model/plan.ts";
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

function isEnd(happening: Happening): happening is Exclude<Answer, { kind: "frame" }> {
  return happening.kind === "output" || happening.kind === "eof" || happening.kind === "attemptFailed";
}

function pathOf(plan: Plan, { slot, at }: Answer): string {
  const node = plan.slots[slot];
  const segments: string[] = [];
  let scope = plan.scopes[node?.scope ?? 0];
  for (const index of (at === 0 ? [] : at).toReversed()) {
    segments.unshift(`${plan.streams[scope?.stream ?? 0]?.segment}[${index}]`);
    scope = plan.scopes[scope?.parent ?? 0];
  }
  return [plan.name, ...segments, node?.name].join("/");
}
