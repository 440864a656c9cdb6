import type { JournalRow } from "../../ports/backend.ts";
import type { Page } from "./protocol.ts";

/** Journal rows page by page; the next page is asked for before the current one is handed out. */
export async function* readJournal(
  ask: (fromSeq: number) => Promise<Page>,
  fromSeq: number,
): AsyncGenerator<JournalRow, void, undefined> {
  let next: Promise<Page> | undefined = ask(fromSeq);
  while (next !== undefined) {
    const page: Page = await next;
    next = page.next === null ? undefined : ask(page.next);
    // A reader that stops early leaves this one unawaited; one that goes on meets its failure above.
    next?.catch(() => {});
    yield* unpack(page);
  }
}

function* unpack(page: Page): Generator<JournalRow, void, undefined> {
  let offset = 0;
  for (let i = 0; i < page.rows.length; i += 4) {
    const [firstSeq = 0, count = 0, chain = 0, byteLength = 0] = page.rows.slice(i, i + 4);
    yield { firstSeq, count, chain, bytes: page.bytes.subarray(offset, offset + byteLength) };
    offset += byteLength;
  }
}
