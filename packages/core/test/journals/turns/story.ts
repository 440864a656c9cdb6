import type { Engine, Handle, Interrupt, Runnable, StateGraph } from "../../../src/index.ts";

/**
 * What happened to runs of one graph, of which journals are kept. A run that crashed anywhere comes to the same. A definition whose journals
 * were kept does not change any more.
 */
export interface Story {
  readonly name: string;
  readonly graph: Runnable<never, unknown>;
  /** The thread its turns are in; absent: its runs are in none. */
  readonly thread?: string;
  /** Does everything. Runs have ids of the story's own, where that can be said. */
  readonly happens: (engine: Engine) => Promise<unknown>;
  /** What those who go on with a run that asks answer. Absent: it is left waiting. */
  readonly answer?: (question: Interrupt) => unknown;
}

/** Some story's state graph, as `threadsOf` takes it whatever its state is. */
export type AnyStateGraph = StateGraph<unknown, unknown>;

/** To its end, or until it waits for what nobody answers. What it failed by is part of the story. */
export async function toTheEnd(handle: Handle<unknown>, answer?: Story["answer"]): Promise<void> {
  for (;;) {
    const result = await handle.result();
    const question = result.status === "interrupted" ? result.interrupts[0] : undefined;
    if (question === undefined || answer === undefined) return;
    await handle.answer(question.id, answer(question), { by: "ann" });
  }
}
