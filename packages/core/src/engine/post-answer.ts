/** An answer for a run that another engine drives, or may drive next: left in its inbox, where the first one counts. */
import { errorOf } from "../base/error.ts";
import type { Interrupt } from "../events/interrupt.ts";
import { foldJournal } from "../journal/fold.ts";
import type { Plan } from "../model/plan.ts";
import { endedStatuses, type Backend, type RunRow } from "../ports/backend.ts";
import { noteWakes } from "../ports/inbox.ts";
import { answeredBefore } from "../runtime/answer.ts";
import type { Host } from "../runtime/host.ts";
import { answerSchemaOf } from "../runtime/in-doubt.ts";
import { pickInterrupt } from "../runtime/questions.ts";
import { validate } from "../runtime/validate.ts";
import type { AnswerOptions } from "./api.ts";
import { runEnded, runNotFound } from "./run-errors.ts";

const encoder = new TextEncoder();

export interface PostOffice {
  readonly backend: Backend;
  readonly host: Host;
  /** Undefined: the graph is not known here, and the answer is checked by who drives the run. */
  readonly planOf: (row: RunRow) => Plan | undefined;
}

/** What a run asked when somebody last looked. */
export interface Seen {
  readonly row: Pick<RunRow, "lastSeq" | "chain">;
  readonly interrupts: readonly Interrupt[];
}

/**
 * Resolves once the answer is durable.
 *
 * @param seen by whoever asks: a journal that has not grown since is not read again
 * @throws MillraceError `RunNotFound`, `RunEnded`, `InterruptNotFound`, `AmbiguousInterrupt`, `InvalidValue`,
 * `InterruptAnswered`
 */
export async function postAnswer(
  { backend, host, planOf }: PostOffice,
  runId: string,
  which: string,
  value: unknown,
  options: AnswerOptions,
  seen: Seen | null = null,
): Promise<void> {
  const row = await backend.get(runId);
  if (row === undefined) throw runNotFound(runId, backend.name);
  if (endedStatuses.has(row.status)) throw runEnded(row);
  const isNews = seen?.row.lastSeq !== row.lastSeq || seen.row.chain !== row.chain;
  const { interrupts } = isNews ? await foldJournal(backend, row) : seen;
  const interrupt = pickInterrupt(runId, interrupts, which);
  const plan = planOf(row);
  // Another version of the graph may ask otherwise.
  await check(plan?.fingerprint === row.fingerprint ? plan : undefined, interrupt, value);
  const result = await backend.post({
    runId,
    kind: "answer",
    key: interrupt.id,
    bytes: encoder.encode(host.codec.encode(value, "answer")),
    by: options.by ?? null,
    at: host.clock.now(),
    wakes: noteWakes.answer,
  });
  if (result.type === "exists") throw answeredBefore(runId, which, result.note);
  if (result.type === "refused") throw errorOf("InterruptNotFound.late", { which });
}

/** Only to tell a wrong answer at once: who drives the run takes what its schema makes of it. */
async function check(plan: Plan | undefined, { node }: Interrupt, value: unknown): Promise<void> {
  const slot = plan?.slots.find(({ name, ask, op }) => name === node && (ask !== null || op?.effect === "unsafe"));
  if (slot !== undefined) await validate(answerSchemaOf(slot), value, `the answer to "${node}"`);
}
