import { MillraceError } from "../base/error.ts";
import type { Interrupt } from "../events/interrupt.ts";
import { openStatuses, type Backend, type RunRow, type RunStatus } from "../ports/backend.ts";
import { allRuns } from "./all-runs.ts";
import { foldJournal } from "./fold.ts";

export interface OpenQuestion extends Interrupt {
  readonly runId: string;
  readonly graph: string;
  /** Of the run. */
  readonly status: RunStatus;
  readonly askedAt: number;
}

export interface OpenQuestions {
  /** Oldest first. */
  readonly questions: readonly OpenQuestion[];
  /** There are others, that were asked later. */
  readonly more: boolean;
}

export interface OpenQuestionsOptions {
  readonly graph?: string;
  /** Default 100. */
  readonly limit?: number;
  /** Told of a run that cannot be read, which is left out then. Default: it throws. */
  readonly damaged?: (runId: string, error: MillraceError) => unknown;
}

/**
 * What all runs of a backend wait for, whichever engine drives them; their graphs need not be known. A question that
 * somebody has answered, and whose run did not take that up yet, is not among them. Reads the journals of all runs that
 * have not ended.
 */
export async function openQuestions(
  backend: Backend,
  { graph, limit = 100, damaged }: OpenQuestionsOptions = {},
): Promise<OpenQuestions> {
  let found: OpenQuestion[] = [];
  let more = false;
  for await (const row of allRuns(backend, { status: openStatuses, ...(graph !== undefined && { graph }) })) {
    found.push(...(await questionsOf(backend, row, damaged)));
    if (found.length <= limit) continue;
    more = true;
    found = found.toSorted(olderFirst).slice(0, limit);
  }
  return { questions: found.toSorted(olderFirst), more };
}

function olderFirst(a: OpenQuestion, b: OpenQuestion): number {
  return a.askedAt - b.askedAt;
}

async function questionsOf(
  backend: Backend,
  row: RunRow,
  damaged: OpenQuestionsOptions["damaged"],
): Promise<OpenQuestion[]> {
  try {
    const { interrupts } = await foldJournal(backend, row);
    if (interrupts.length === 0) return [];
    const answers = new Set(
      (await backend.inbox(row.id)).filter(({ kind }) => kind === "answer").map(({ key }) => key),
    );
    return interrupts.filter(({ id }) => !answers.has(id)).map((interrupt) => questionOf(row, interrupt));
  } catch (error) {
    if (!(error instanceof MillraceError) || damaged === undefined) throw error;
    // It was deleted while it was read.
    if ((await backend.get(row.id)) !== undefined) await damaged(row.id, error);
    return [];
  }
}

/** Journals of earlier versions do not say when: at the latest when the row was written last. */
function questionOf({ id: runId, graph, status, updatedAt }: RunRow, interrupt: Interrupt): OpenQuestion {
  return { ...interrupt, askedAt: interrupt.askedAt ?? updatedAt, runId, graph, status };
}
