import { errorOf } from "../../base/error.ts";

/** Of each kind that are told. */
const told = 5;

/** What a crash harness says: some of each kind of fault, since one that comes often would hide the others. */
export function harnessFailed(seed: number, place: number, faults: readonly string[]): Error {
  const kinds = Map.groupBy(faults, kindOf);
  const lines = Array.from(kinds, ([kind, its]) => {
    const more = its.length > told ? [`${its.length - told} more of ${kind}`] : [];
    return [...its.slice(0, told), ...more];
  }).flat();
  return errorOf("CrashHarnessFailed", { seed, place, faults: lines.map((line) => `\n  ${line}`).join("") });
}

/** The statement that does not hold, `I1` or `P3.8a`. */
function kindOf(fault: string): string {
  return /\b[A-Z]\d+(?:\.\d+)?[a-z]?(?=[ :])/.exec(fault)?.[0] ?? "others";
}
