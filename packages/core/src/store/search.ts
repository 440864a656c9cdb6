import { errorOf } from "../base/error.ts";
import type { Namespace, SearchOptions, StoreItem } from "../model/store.ts";
import type { Entry, EntryRange, EntryStore } from "../ports/store.ts";
import { itemOf } from "./entry-value.ts";
import { testOf, type Test } from "./filter.ts";
import { checkKeys } from "./options.ts";
import { placeOf, rangeOf } from "./place.ts";
import { matcherOf } from "./query.ts";

const pageEntries = 500;
/** One search looks through no more: a wide one must not keep a process busy unseen. */
const mostScanned = 100_000;
const mostItems = 1_000;

const searchOptions = ["filter", "query", "limit", "offset", "after"];

/** A page of the store at a time, each entry judged here: so all backends find the same. */
export async function search(
  entries: EntryStore,
  prefix: Namespace,
  options: SearchOptions = {},
): Promise<StoreItem[]> {
  checkKeys("search", options, searchOptions);
  const { filter, query, after } = options;
  const limit = whole("limit", options.limit ?? 10, 1, mostItems);
  let toSkip = whole("offset", options.offset ?? 0, 0, Number.MAX_SAFE_INTEGER);
  const tests = [...(filter === undefined ? [] : [testOf(filter)]), ...(query === undefined ? [] : [matcherOf(query)])];
  const found: StoreItem[] = [];
  for await (const entry of scan(
    entries,
    startOf(rangeOf(prefix), after),
    tests.length === 0 ? limit + toSkip : pageEntries,
  )) {
    const item = matching(entry, tests);
    if (item === undefined) continue;
    if (toSkip > 0) toSkip -= 1;
    else if (found.push(item) === limit) break;
  }
  return found;
}

function matching(entry: Entry, tests: readonly Test[]): StoreItem | undefined {
  const item = itemOf(entry);
  return tests.every((test) => test(item.value)) ? item : undefined;
}

type Range = Omit<EntryRange, "limit">;

/** Behind that place, unless that is before the range begins. */
function startOf(range: Range, after: SearchOptions["after"]): Range {
  if (after === undefined) return range;
  const place = placeOf(after.namespace, after.key);
  return isBefore(place, range.after) ? range : { ...range, after: place };
}

function isBefore(a: Uint8Array, b: Uint8Array): boolean {
  for (let i = 0; i < a.length && i < b.length; i++) {
    const difference = (a[i] as number) - (b[i] as number);
    if (difference !== 0) return difference < 0;
  }
  return a.length < b.length;
}

async function* scan(entries: EntryStore, range: Range, wanted: number): AsyncGenerator<Entry, void, undefined> {
  let { after } = range;
  for (let scanned = 0; ;) {
    const page = await entries.scan({ after, before: range.before, limit: Math.min(wanted, pageEntries) });
    const last = page.at(-1);
    if (last === undefined) return;
    if (scanned >= mostScanned) throw errorOf("StoreSearchTooWide", { most: mostScanned });
    yield* page;
    scanned += page.length;
    after = last.place;
  }
}

function whole(name: string, value: unknown, least: number, most: number): number {
  if (Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most) return value as number;
  throw errorOf("InvalidStoreSearch.number", { name, least, most, found: String(value) });
}
