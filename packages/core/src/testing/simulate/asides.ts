/** What happens among the items of ephemeral generators: seen while a run lives, since no record tells of it. */
import { RecordKind } from "../../events/record.ts";
import { addressOf } from "../../state/path.ts";
import type { Pending } from "../../state/pending.ts";
import { regionAround } from "../../state/region.ts";
import type { Aside, RunState } from "../../state/run-state.ts";
import { Flag } from "../../state/tables.ts";
import type { EphemeralHappening, Happening } from "../reference/happening.ts";
import type { Cause } from "../reference/failures.ts";

export class Asides {
  /** By run and record. */
  readonly #seen: Map<string, readonly Happening[]> = new Map();
  /** By the generator, since its attempt began or the last record of it. */
  readonly #under: WeakMap<Pending, Happening[]> = new WeakMap();

  follow(run: RunState): void {
    run.aside ??= (state, event) => this.#take(state, event);
  }

  /**
   * The happenings of a run, with what nothing records of them.
   *
   * @param began whether the body at that path did in this run: of one whose end a fork recalls there was nothing to see
   */
  with(
    runId: string,
    happenings: readonly Happening[],
    began: (happening: EphemeralHappening) => boolean,
  ): Happening[] {
    return happenings.map((happening, i) => {
      if (happening.kind !== "settled" && happening.kind !== "brokenOff") return happening;
      return { ...happening, asides: began(happening) ? this.#seen.get(`${runId} ${i + 1}`) : undefined };
    });
  }

  #take(run: RunState, event: Aside): void {
    const { kind, pending } = event;
    const generator = pending === null ? undefined : generatorOf(pending);
    if (pending === null || generator === undefined) return;
    const under = this.#under.get(generator) ?? [];
    this.#under.set(generator, under);
    if (kind === RecordKind.settled || kind === RecordKind.brokenOff)
      this.#seen.set(`${run.runId} ${run.seq}`, under.splice(0));
    else if (kind === RecordKind.attemptFailed && pending === generator) under.length = 0;
    else if (pending !== generator || kind === RecordKind.frame) under.push(happeningOf(event, pending));
  }
}

function generatorOf(pending: Pending): Pending | undefined {
  if ((pending.flags & Flag.ephemeral) !== 0) return pending;
  return (pending.flags & Flag.unrecorded) === 0 ? undefined : regionAround(pending.context)?.region?.pending;
}

function happeningOf({ kind, value, error, retryAt }: Aside, pending: Pending): Happening {
  const where = { slot: pending.id, at: addressOf(pending.context) };
  if (kind === RecordKind.output) return { kind: "output", ...where, value };
  if (kind === RecordKind.frame) return { kind: "frame", ...where, value };
  if (kind === RecordKind.eof) return { kind: "eof", ...where, value };
  if (kind === RecordKind.deadlineSet) return { kind: "deadlineSet", ...where, due: retryAt as number };
  if (kind !== RecordKind.attemptFailed) throw new Error(`record kind ${kind} among items that nothing records`);
  const attempt = retryAt === null ? pending.attempt : pending.attempt - 1;
  return { kind: "attemptFailed", ...where, attempt, retryAt, error: error as Cause };
}
