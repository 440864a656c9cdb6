/** What is said to a run through its inbox, whichever process drives it: that it be cancelled, or held. */
import type { NoteKind, RunRow } from "@millrace/core";
import type { Store } from "../database.ts";
import { CliFailure } from "../errors/failure.ts";
import { ExitCode } from "../exit.ts";
import { isoTime } from "../format/time.ts";
import { unknownRun } from "./unknown-run.ts";

export interface Wish {
  readonly runId: string;
  readonly kind: Exclude<NoteKind, "answer">;
  /** Of a cancel: why. */
  readonly text: string;
  readonly by: string | undefined;
  readonly db: string;
  readonly invokedAs: string;
}

export interface Left {
  /** As it stands now. */
  readonly row: RunRow;
  /** A live engine has the run, and takes the note up. */
  readonly driven: boolean;
  /** Said before, and not taken up yet: by whom and when; that one counts. */
  readonly before: string | undefined;
}

/** The run as it stands; refused when it is not there or has ended. */
export async function openRun(
  { engine, backend }: Store,
  { runId, db, invokedAs }: Pick<Wish, "runId" | "db" | "invokedAs">,
): Promise<RunRow> {
  const row = await backend.get(runId);
  if (row === undefined) throw await unknownRun(engine, runId, db, invokedAs);
  if (row.endedAt !== null) throw hasEnded(row);
  return row;
}

export async function leaveNote(store: Store, wish: Wish): Promise<Left> {
  const { backend } = store;
  const { runId, kind, text, by = null } = wish;
  const standing = await openRun(store, wish);
  const { noteWakes } = await import("@millrace/core");
  const result = await backend.post({
    runId,
    kind,
    key: kind === "drain" ? String(standing.epoch) : "",
    bytes: new TextEncoder().encode(text),
    by,
    at: Date.now(),
    wakes: noteWakes[kind],
  });
  if (result.type === "refused") throw result.row === undefined ? await openRun(store, wish) : hasEnded(result.row);
  const { row } = result;
  const { owner } = row;
  const driven = owner !== null && (await backend.living([owner])).length > 0;
  const before =
    result.type === "exists" ? `by ${result.note.by ?? "somebody"} at ${isoTime(result.note.at)}` : undefined;
  return { row, driven, before };
}

function hasEnded({ id, status }: RunRow): CliFailure {
  return new CliFailure("RunEnded", `run ${id} has ended: it is ${status}`, { exit: ExitCode.refused });
}
