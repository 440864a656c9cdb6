import { observerCalls, type Observer } from "../ports/observer.ts";

/**
 * The observer, with a fence around it: it is called inside of steps, and one that throws must not end a run. The first
 * throw is reported and detaches it for good.
 */
export function safeObserver(observer: Observer, warn: (text: string) => void): Observer {
  const safe: { [K in keyof Observer]: (event: never) => void } = {};
  let detached = false;
  for (const name of observerCalls) {
    if (observer[name] === undefined) continue;
    safe[name] = (event: never): void => {
      if (detached) return;
      try {
        (observer[name] as (event: never) => void)(event);
      } catch (error) {
        detached = true;
        warn(
          `millrace: the observer threw in ${name} and is not called any more: ${error instanceof Error ? error.message : String(error)}`,
        );
      }
    };
  }
  return safe;
}
