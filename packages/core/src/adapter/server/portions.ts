/** One statement is given no more; what is larger goes alone. */
const portionRows = 1_000;
const portionBytes = 4 << 20;

/** What one read of a journal gives at most; a row that is larger comes alone. */
export interface PageLimit {
  readonly rows: number;
  readonly bytes: number;
}

export const mostOfPage: PageLimit = { rows: portionRows, bytes: portionBytes };

/** Rows in their order, as many at a time as one statement is given. */
export function* portions<Row extends { readonly bytes: Uint8Array }>(rows: readonly Row[]): Generator<readonly Row[]> {
  let portion: Row[] = [];
  let byteLength = 0;
  for (const row of rows) {
    portion.push(row);
    byteLength += row.bytes.byteLength;
    if (portion.length < portionRows && byteLength < portionBytes) continue;
    yield portion;
    portion = [];
    byteLength = 0;
  }
  if (portion.length > 0) yield portion;
}
