import type { RestoredRun, RestoreResult } from "../../ports/backend.ts";
import type { Channel } from "./channel.ts";
import { concat } from "./concat.ts";
import type { WithLength } from "./protocol.ts";

/** All bytes of the run travel in one buffer. */
export function sendRestore(channel: Channel, run: RestoredRun): Promise<RestoreResult> {
  const { row, journal, notes, carried, blobs } = run;
  const parts = [...journal, ...notes, ...carried].map(({ bytes }) => bytes);
  const byteLength = parts.reduce((sum, part) => sum + part.byteLength, 0);
  const restore = {
    row,
    journal: journal.map(withLength),
    notes: notes.map(withLength),
    carried: carried.map(withLength),
    blobs,
  };
  return channel.ask("restore", restore, concat(parts, byteLength));
}

function withLength<T extends { readonly bytes: Uint8Array }>({ bytes, ...rest }: T): WithLength<T> {
  return { ...rest, byteLength: bytes.byteLength };
}
