/**
 * An archive is a file of JSON objects, one a line. Each ends with `"sum"`, the CRC-32 of the line before that key and of
 * all lines before, so that a changed, missing, repeated or swapped line is found where it stands.
 */
import { crc32 } from "../../base/crc32.ts";
import { errorOf, type MillraceError } from "../../base/error.ts";
import type { RunRow } from "../../ports/backend.ts";
import type { RestoredNote } from "../../ports/inbox.ts";
import { fromBase64, toBase64 } from "../codec/base64.ts";

export const archiveVersion = 1;

/** Bytes as they are: as text where they are UTF-8, else as base64. */
export type Content = { readonly text: string } | { readonly base64: string };

/** `carriedUpTo` only of a run in a thread, and not in archives of journals that have none. */
export type ArchivedRun = Omit<RunRow, "owner" | "carriedUpTo"> & { readonly carriedUpTo?: number };

/** What a line holds, by its first key. `rows` and `notes` of a run say how many such lines follow. */
export type ArchiveLine =
  | { readonly archive: "millrace"; readonly version: number }
  | ({ readonly blob: string } & Content)
  | ({ readonly carried: { thread: string; n: number; runId: string; whole: boolean } } & Content)
  | {
      readonly run: ArchivedRun;
      readonly rows: number;
      readonly notes: number;
      readonly blobs: readonly string[];
    }
  | ({ readonly row: readonly [firstSeq: number, count: number, chain: number] } & Content)
  | ({ readonly note: Omit<RestoredNote, "runId" | "bytes"> } & Content)
  | { readonly end: { readonly runs: number } };

const encoder = new TextEncoder();
// The mark stays: these are the bytes of somebody else.
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const sealed = /,"sum":(\d{1,10})\}$/;

export class Sealer {
  #sum = 0;

  seal(line: ArchiveLine): string {
    const body = JSON.stringify(line).slice(0, -1);
    this.#sum = crc32(encoder.encode(body), this.#sum);
    return `${body},"sum":${this.#sum}}`;
  }
}

export class Unsealer {
  #sum = 0;
  #line = 0;

  get line(): number {
    return this.#line;
  }

  unseal(text: string): ArchiveLine {
    this.#line += 1;
    const sum = sealed.exec(text);
    if (sum === null) throw this.damaged("it is cut off, or no line of an archive");
    const body = text.slice(0, sum.index);
    this.#sum = crc32(encoder.encode(body), this.#sum);
    if (this.#sum !== Number(sum[1]))
      throw this.damaged("it does not match its checksum, or a line before it is missing");
    try {
      return JSON.parse(`${body}}`) as ArchiveLine;
    } catch (cause) {
      throw this.damaged("it is no JSON", cause);
    }
  }

  damaged(detail: string, cause?: unknown): MillraceError {
    return errorOf("ArchiveDamaged", { line: this.#line, detail }, cause);
  }
}

export function contentOf(bytes: Uint8Array): Content {
  try {
    return { text: decoder.decode(bytes) };
  } catch {
    return { base64: toBase64(bytes) };
  }
}

export function bytesOf(content: Content): Uint8Array {
  return "text" in content ? encoder.encode(content.text) : fromBase64(content.base64);
}
