import type { Context } from "./context.ts";

/** The open items of one stream by index, for replay. Items open in the order of their indices and close in any. */
export class OpenItems {
  #items: (Context | undefined)[] = [];
  /** Index of the first element, and the position of the first that is open. */
  #base = 0;
  #head = 0;

  /** Of a stream that gave `yielded` items, of which these are open, in order. */
  static of(open: Iterable<Context>, yielded: number): OpenItems {
    const items = new OpenItems();
    for (const item of open) {
      if (items.#items.length === 0) items.#base = item.index;
      items.#fillTo(item.index);
      items.add(item);
    }
    if (items.#items.length === 0) items.#base = yielded;
    items.#fillTo(yielded);
    return items;
  }

  #fillTo(index: number): void {
    while (this.#base + this.#items.length < index) this.#items.push(undefined);
  }

  add(item: Context): void {
    this.#items.push(item);
  }

  get(index: number): Context | undefined {
    const at = index - this.#base;
    // Reading outside of an array is slow, and what is read from a journal may be anything.
    return at >= 0 && at < this.#items.length ? this.#items[at] : undefined;
  }

  delete(index: number): void {
    this.#items[index - this.#base] = undefined;
    while (this.#head < this.#items.length && this.#items[this.#head] === undefined) this.#head++;
    if (this.#head < 1024 || this.#head * 2 < this.#items.length) return;
    this.#items = this.#items.slice(this.#head);
    this.#base += this.#head;
    this.#head = 0;
  }
}
