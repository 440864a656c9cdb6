import type { JournalRow } from "../../ports/backend.ts";

/** Page by page; the next page is asked for before the current one is handed out. */
export async function* readJournal(
  page: (fromSeq: number) => Promise<JournalRow[]>,
  fromSeq: number,
): AsyncGenerator<JournalRow, void, undefined> {
  let next: Promise<JournalRow[]> | undefined = page(fromSeq);
  while (next !== undefined) {
    const rows: JournalRow[] = await next;
    const last = rows.at(-1);
    next = last === undefined ? undefined : page(last.firstSeq + last.count);
    // A reader that stops early leaves this one unawaited; one that goes on meets its failure above.
    next?.catch(() => undefined);
    yield* rows;
  }
}
