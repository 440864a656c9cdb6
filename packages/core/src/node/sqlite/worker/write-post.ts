import { endedStatuses } from "../../../ports/backend.ts";
import type { PostResult } from "../../../ports/inbox.ts";
import type { CommandOf } from "../protocol.ts";
import { deleteNote, insertNote, makeDue, retireLastNote, wakeRun } from "../sql/notes.ts";
import { findNote } from "./notes.ts";
import { isDead } from "./owner-lock.ts";
import { findRun } from "./run-row.ts";
import type { Owners } from "./owners.ts";
import type { Write } from "./write.ts";

/** B9 */
export function postWrite(command: CommandOf<"post">, bytes: Uint8Array, owners: Owners): Write {
  const { runId, kind, key, by, at, wakes } = command.input;
  return {
    id: command.id,
    byteLength: bytes.byteLength,
    apply(connection): PostResult {
      const row = findRun(connection, runId);
      if (row === undefined || endedStatuses.has(row.status)) return { type: "refused", row };
      const standing = findNote(connection, command.input);
      if (standing !== undefined) return { type: "exists", note: standing, row };
      const id = Number(connection.get(insertNote, { runId, kind, key, bytes, by, at })?.["id"]);
      if (!wakes.includes(row.status)) return { type: "posted", row, id };
      // As in a claim, the proof of death holds because nobody can come to own a run while this transaction lasts.
      if (!isFree(row.owner, owners)) {
        connection.run(makeDue, runId);
        return { type: "posted", row: findRun(connection, runId) ?? row, id };
      }
      connection.run(wakeRun, at, runId);
      return { type: "posted", row: { ...row, status: "queued", owner: null, wakeAt: null, updatedAt: at }, id };
    },
    isDurable(connection, answer): boolean {
      // The others wrote nothing, and may be asked again.
      const result = answer as PostResult;
      if (result.type !== "posted") return false;
      // Had it come to nothing, another process could have been given the same id by now.
      const note = findNote(connection, command.input);
      const isOurs = note?.id === result.id && note.at === at && note.by === by;
      return isOurs && Buffer.compare(note.bytes, bytes) === 0;
    },
    hints: (answer) => (answer as PostResult).type === "posted",
  };
}

export function rejectWrite(command: CommandOf<"reject">): Write {
  const { input } = command;
  return {
    id: command.id,
    byteLength: 0,
    apply(connection): undefined {
      connection.run(deleteNote, input);
      connection.run(retireLastNote, input);
    },
  };
}

/** As in a claim, its transaction proves it. */
export function isFree(owner: string | null, { self, folder }: Owners): boolean {
  return owner === null || (owner !== self && isDead(folder, owner));
}
