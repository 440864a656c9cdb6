import type { Append, AppendResult } from "../../ports/backend.ts";
import type { Channel } from "./channel.ts";
import { concat } from "./concat.ts";
import type { ChangingAppend } from "./protocol.ts";

/** Undefined stands for `ok`. */
export function sendAppend(channel: Channel, append: Append): Promise<AppendResult | undefined> {
  if (!isPlain(append)) return sendChanging(channel, append);
  const { runId, epoch, row, at } = append;
  const { firstSeq, count, chain, bytes } = row;
  return channel.append((id) => [id, bytes.byteLength, runId, epoch, firstSeq, count, chain, at], bytes);
}

function isPlain({ status, fingerprint, release, handled, carry, blobs }: Append): boolean {
  const changesRun = status !== undefined || fingerprint !== undefined || release === true;
  return !changesRun && handled === undefined && carry === undefined && blobs === undefined;
}

function sendChanging(channel: Channel, append: Append): Promise<AppendResult | undefined> {
  const { runId, epoch, row, status, fingerprint, release, wakeAt, handled = [], carry, blobs, at } = append;
  const { firstSeq, count, chain, bytes } = row;
  const input: ChangingAppend = {
    runId,
    epoch,
    row: { firstSeq, count, chain },
    status,
    fingerprint,
    release,
    wakeAt,
    handled: handled.map(({ kind, key }) => ({ kind, key })),
    carry: carry === undefined ? null : { whole: carry.whole, byteLength: carry.bytes.byteLength },
    blobs,
    at,
  };
  if (carry === undefined) return channel.ask("append", input, bytes);
  const both = concat([bytes, carry.bytes], bytes.byteLength + carry.bytes.byteLength);
  return channel.ask("append", input, both);
}
