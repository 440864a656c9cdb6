/** The axes of the matrix, and the cells that cannot be. */
export const kinds = ["sync", "async", "generator", "async generator", "cpu", "subgraph"] as const;
export const places = ["root", "item", "loop", "arm", "race", "fallback"] as const;
export const events = ["ok", "throw", "timeout", "cancel", "sweep", "interrupt", "retry-then-ok"] as const;

export type Kind = (typeof kinds)[number];
export type Place = (typeof places)[number];
export type Happening = (typeof events)[number];

export interface Cell {
  readonly kind: Kind;
  readonly place: Place;
  readonly event: Happening;
}

export const cells: readonly Cell[] = kinds.flatMap((kind) =>
  places.flatMap((place) => events.map((event) => ({ kind, place, event }))),
);

export function isStream(kind: Kind): boolean {
  return kind === "generator" || kind === "async generator";
}

/** Cells that the build refuses, by a part of what it says. */
export function refusedAtBuild({ kind, place, event }: Cell): string | undefined {
  if (kind === "sync" && event === "timeout") return "has a timeout, but its body is a plain function";
  if (place === "root" && event === "sweep" && !isStream(kind)) return "which belongs to the run itself";
  return undefined;
}

/** Cells that cannot come about, by the reason. */
export function impossible({ kind, event }: Cell): string | undefined {
  if (event !== "cancel" && event !== "sweep" && event !== "timeout") return undefined;
  if (kind === "sync") return "a body that runs inline is over before anything else can happen";
  if (kind === "generator")
    return "the thread is the generator's until it has yielded; what ends it while it waits for credit is in suspended-generators.test.ts";
  return undefined;
}
