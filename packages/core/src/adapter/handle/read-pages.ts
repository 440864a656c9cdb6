import type { JournalRow } from "../../ports/backend.ts";

export interface Page {
  readonly rows: Iterable<JournalRow>;
  /** The first record of the next page; null: there is none. */
  readonly next: number | null;
}

/** Journal rows page by page; the next page is asked for before the current one is handed out. */
export async function* readPages(
  ask: (fromSeq: number) => Promise<Page>,
  fromSeq: number,
): AsyncGenerator<JournalRow, void, undefined> {
  let next: Promise<Page> | undefined = ask(fromSeq);
  while (next !== undefined) {
    const page: Page = await next;
    next = page.next === null ? undefined : ask(page.next);
    // A reader that stops early leaves this one unawaited; one that goes on meets its failure above.
    next?.catch(() => undefined);
    yield* page.rows;
  }
}
