/** From, and behind the last. */
export type GapRange = readonly [from: number, to: number];

/**
 * Indices of items that left nothing, or do not come, and whose turn has not come, as ranges: there is an item that is still open between
 * any two of them, so that the buffer of a stream bounds how many there are, however many items they stand for.
 */
export class Gaps {
  /** From, and behind the last; in order, and none touches the next. */
  readonly #ranges: { from: number; to: number }[] = [];

  static of(ranges: readonly GapRange[]): Gaps {
    const gaps = new Gaps();
    for (const [from, to] of ranges) gaps.#ranges.push({ from, to });
    return gaps;
  }

  list(): GapRange[] {
    return this.#ranges.map(({ from, to }) => [from, to]);
  }

  get size(): number {
    return this.#ranges.length;
  }

  add(index: number): void {
    // Items resolve in about the order of their indices.
    let at = this.#ranges.length;
    while (at > 0 && (this.#ranges[at - 1] as { from: number }).from > index) at--;
    const before = this.#ranges[at - 1];
    if (before !== undefined && index < before.to) return;
    const after = this.#ranges[at];
    const isBehind = before?.to === index;
    const isBefore = after?.from === index + 1;
    if (isBehind && isBefore) {
      before.to = after.to;
      this.#ranges.splice(at, 1);
    } else if (isBehind) before.to++;
    else if (isBefore) after.from--;
    else this.#ranges.splice(at, 0, { from: index, to: index + 1 });
  }

  /** It is in no gap any more. */
  remove(index: number): void {
    const at = this.#ranges.findLastIndex(({ from }) => from <= index);
    const range = this.#ranges[at];
    if (range === undefined || index >= range.to) return;
    const { from, to } = range;
    const left = [
      { from, to: index },
      { from: index + 1, to },
    ].filter((part) => part.from < part.to);
    this.#ranges.splice(at, 1, ...left);
  }

  /** The next index from `index` on that is in no gap; the gap that was there is forgotten. */
  pass(index: number): number {
    const [first] = this.#ranges;
    if (first?.from !== index) return index;
    this.#ranges.shift();
    return first.to;
  }
}
