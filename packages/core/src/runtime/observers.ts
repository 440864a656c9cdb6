import { observerCalls, type Observer } from "../ports/observer.ts";

/** Several observers as one; null when there are none. Calls that none of them takes stay absent. */
export function together(observers: readonly Observer[]): Observer | null {
  const [first, ...others] = observers;
  if (first === undefined) return null;
  if (others.length === 0) return first;
  const all: { [K in keyof Observer]: (event: never) => void } = {};
  for (const call of observerCalls) {
    const listeners = observers.filter((observer) => observer[call] !== undefined);
    if (listeners.length === 0) continue;
    all[call] = (event: never): void => {
      for (const listener of listeners) (listener[call] as (event: never) => void)(event);
    };
  }
  return all;
}
