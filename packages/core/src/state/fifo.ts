/** A queue that keeps its storage: emptying an array by `length = 0` makes the next push allocate again, per event. */
export class Fifo<T> {
  #items: (T | undefined)[] = [];
  #head = 0;
  #tail = 0;

  get size(): number {
    return this.#tail - this.#head;
  }

  push(item: T): void {
    this.#items[this.#tail++] = item;
  }

  /** The first item, without taking it. */
  peek(): T | undefined {
    return this.#items[this.#head];
  }

  /** Undefined when empty. */
  take(): T | undefined {
    if (this.#head === this.#tail) return undefined;
    const item = this.#items[this.#head];
    this.#items[this.#head++] = undefined;
    if (this.#head === this.#tail) {
      this.#head = 0;
      this.#tail = 0;
      if (this.#items.length > 1024) this.#items = [];
    } else if (this.#head > 1024 && this.#head * 2 > this.#tail) {
      this.#items = this.#items.slice(this.#head, this.#tail);
      this.#tail -= this.#head;
      this.#head = 0;
    }
    return item;
  }

  /** Keeps only what `keep` says, in order. */
  prune(keep: (item: T) => boolean): void {
    this.#items = this.#items.slice(this.#head, this.#tail).filter((item) => keep(item as T));
    this.#tail = this.#items.length;
    this.#head = 0;
  }

  /** What is in it, first in first. */
  list(): T[] {
    return this.#items.slice(this.#head, this.#tail) as T[];
  }

  clear(): void {
    this.#items = [];
    this.#head = 0;
    this.#tail = 0;
  }
}
