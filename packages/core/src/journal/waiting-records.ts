/** Characters of a row from which on the next event begins another: a row is one text for who reads it. */
const longRow = 8 * 1024 * 1024;

/** Records of one run that are in no row yet (J7). */
export class WaitingRecords {
  #records: string[] = [];
  /** Where among them rows end, but for the last. */
  #cuts: number[] = [];
  #uncut = 0;

  get count(): number {
    return this.#records.length;
  }

  /** Rows that are complete, and wait all the same. */
  get rows(): number {
    return this.#cuts.length;
  }

  /** Those of the next event follow: what a step made stands in one row with it. */
  begin(): void {
    if (this.#uncut < longRow) return;
    this.#cuts.push(this.#records.length);
    this.#uncut = 0;
  }

  push(record: string): void {
    this.#records.push(record);
    this.#uncut += record.length;
  }

  /** Those of the next row; `isWhole`: no others are left. */
  take(): { readonly records: readonly string[]; readonly isWhole: boolean } {
    const records = this.#records;
    const cut = this.#cuts.shift();
    if (cut === undefined) {
      this.#records = [];
      this.#uncut = 0;
      return { records, isWhole: true };
    }
    this.#records = records.slice(cut);
    this.#cuts = this.#cuts.map((next) => next - cut);
    return { records: records.slice(0, cut), isWhole: false };
  }
}

export function lengthOf(records: readonly string[]): number {
  return records.reduce((sum, { length }) => sum + length, 0);
}
