/** A door that bodies wait at until the test opens it. */
export interface Gate {
  readonly opened: Promise<void>;
  open(): void;
}

export function gate(): Gate {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

/** Waits, a turn of the event loop at a time, until something holds; fails naming it after five seconds. */
export async function eventually(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const since = performance.now();
  while (!(await holds())) {
    if (performance.now() - since > 5_000) throw new Error(`still not so after five seconds: ${what}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** A promise that never settles: a body that hangs, or one that is in flight when its process dies. */
export function forever(): Promise<never> {
  return new Promise(() => undefined);
}
