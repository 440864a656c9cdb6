import type { Append, AppendResult } from "../../ports/backend.ts";
import type { Channel } from "./channel.ts";
import { concat } from "./concat.ts";
import type { MoreOfAppend } from "./protocol.ts";

/** Undefined stands for `ok`. */
export function sendAppend(channel: Channel, append: Append): Promise<AppendResult | undefined> {
  const { runId, epoch, row, at, status = null, release = false, fingerprint = null, wakeAt = null } = append;
  const { firstSeq, count, chain } = row;
  const more = moreOf(append);
  const bytes = bytesOf(append);
  if (status === null && !release && fingerprint === null && more === null)
    return channel.append((id) => [id, bytes.byteLength, runId, epoch, firstSeq, count, chain, at], bytes);
  const changes = [status, release, fingerprint, wakeAt, more] as const;
  return channel.append((id) => [id, bytes.byteLength, runId, epoch, firstSeq, count, chain, at, ...changes], bytes);
}

function moreOf({ handled, blobs, carry }: Append): MoreOfAppend | null {
  if (handled === undefined && blobs === undefined && carry === undefined) return null;
  return {
    handled: handled?.map(({ kind, key }) => ({ kind, key })) ?? [],
    blobs: blobs ?? [],
    carry: carry === undefined ? null : { whole: carry.whole, byteLength: carry.bytes.byteLength },
  };
}

function bytesOf({ row: { bytes }, carry }: Append): Uint8Array {
  return carry === undefined ? bytes : concat([bytes, carry.bytes], bytes.byteLength + carry.bytes.byteLength);
}
