/** Ctrl-C and SIGTERM (H81): the first one drains, the second one ends the process at once. */
export interface Drainable {
  drain(): Promise<unknown>;
}

export interface StopHooks {
  /** The first signal: the run is asked to drain. */
  draining(signal: NodeJS.Signals): void;
  /** The second signal. */
  stopNow(): void;
}

export interface StopSignals {
  /** From now on the first signal drains this; one that came earlier does so at once. */
  watch(run: Drainable): void;
  /** Signals do what they did before. */
  release(): void;
}

const signals: readonly NodeJS.Signals[] = ["SIGINT", "SIGTERM"];

/** `emitter` is the process; tests bring their own. */
export function onStopSignals(emitter: Pick<NodeJS.EventEmitter, "on" | "off">, hooks: StopHooks): StopSignals {
  let first: NodeJS.Signals | undefined;
  let run: Drainable | undefined;

  const drain = (): void => {
    // How draining ended is told by the run's result.
    void run?.drain().catch(() => {});
  };
  const onSignal = (signal: NodeJS.Signals): void => {
    if (first !== undefined) return hooks.stopNow();
    first = signal;
    hooks.draining(signal);
    drain();
  };

  for (const signal of signals) emitter.on(signal, onSignal);
  return {
    watch(next) {
      run = next;
      if (first !== undefined) drain();
    },
    release() {
      for (const signal of signals) emitter.off(signal, onSignal);
    },
  };
}
