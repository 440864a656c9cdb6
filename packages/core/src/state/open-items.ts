import type { Context } from "./context.ts";

/** The open items of one stream by index, for replay. Items open in the order of their indices and close in any. */
export class OpenItems {
  #items: (Context | undefined)[] = [];
  /** Index of the first element, and the position of the first that is open. */
  #base = 0;
  #head = 0;

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
