import type { Page } from "../../adapter/handle/read-pages.ts";
import type { JournalRow } from "../../ports/backend.ts";
import type { PackedPage } from "./protocol.ts";

export function unpackPage(page: PackedPage): Page {
  return { rows: rowsOf(page), next: page.next };
}

function* rowsOf({ rows, bytes }: PackedPage): Generator<JournalRow, void, undefined> {
  let offset = 0;
  for (let i = 0; i < rows.length; i += 4) {
    const [firstSeq = 0, count = 0, chain = 0, byteLength = 0] = rows.slice(i, i + 4);
    yield { firstSeq, count, chain, bytes: bytes.subarray(offset, offset + byteLength) };
    offset += byteLength;
  }
}
