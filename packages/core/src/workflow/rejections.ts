/**
 * Failures of calls that nobody looks at yet. A body may make a promise of its calls, wait for something else, and look at that
 * promise later; the host would end the process meanwhile.
 *
 * M8  What a call rejects with never ends the process: it is the body's, whatever promise it has got into. A body that
 *     returns while nobody has looked at it fails.
 */
import { watchRejections } from "../ports/system.ts";

export interface Unheard {
  /** What was called. */
  readonly call: string;
  readonly error: unknown;
}

/** Of one body, by the promise that rejected. */
export type Unheards = Map<object, Unheard>;

const owners = new WeakMap<object, Unheard & { readonly unheard: Unheards }>();
const keepers = new WeakMap<object, Unheards>();
let watching = false;

/** From now on promises that reject with `error` stand in `unheard` for as long as nobody looks at them. */
export function own<E extends object>(error: E, call: string, unheard: Unheards): E {
  owners.set(error, { call, error, unheard });
  if (!watching) watchRejections(keep, letGo);
  watching = true;
  return error;
}

function keep(reason: unknown, promise: object): boolean {
  const owner = typeof reason === "object" && reason !== null ? owners.get(reason) : undefined;
  if (owner === undefined) return false;
  owner.unheard.set(promise, owner);
  keepers.set(promise, owner.unheard);
  return true;
}

function letGo(promise: object): void {
  keepers.get(promise)?.delete(promise);
}
