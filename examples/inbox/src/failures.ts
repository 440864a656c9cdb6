import type { OpError } from "millrace";

/** A message that could not be triaged, with the reason in words. */
export interface Failure {
  readonly id: string;
  /** A stable code such as `no-from`. */
  readonly reason: string;
  readonly message: string;
}

/** The id comes from the input of the op that failed; where there is none, the path says which item it was. */
export function failureOf(error: OpError): Failure {
  return { id: idIn(error.input) ?? error.path, reason: error.code, message: error.message };
}

function idIn(input: unknown): string | undefined {
  if (typeof input !== "object" || input === null || !("id" in input)) return undefined;
  return typeof input.id === "string" ? input.id : undefined;
}
