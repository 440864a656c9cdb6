interface Entry<T> {
  readonly place: number;
  readonly item: T;
}

/** What is put in comes out with the lowest place first; of equal ones nobody knows which. */
export class Heap<T> {
  readonly #entries: Entry<T>[] = [];

  push(place: number, item: T): void {
    const entries = this.#entries;
    entries.push({ place, item });
    for (let at = entries.length - 1; at > 0 && this.#place(at) < this.#place((at - 1) >> 1); at = (at - 1) >> 1)
      this.#swap(at, (at - 1) >> 1);
  }

  take(): Entry<T> | undefined {
    const entries = this.#entries;
    const [first] = entries;
    const last = entries.pop();
    if (first === undefined || last === undefined || first === last) return first;
    entries[0] = last;
    for (let at = 0; ;) {
      const child = this.#lowerChild(at);
      if (child >= entries.length || this.#place(at) <= this.#place(child)) return first;
      this.#swap(at, child);
      at = child;
    }
  }

  #lowerChild(at: number): number {
    const left = at * 2 + 1;
    return left + 1 < this.#entries.length && this.#place(left + 1) < this.#place(left) ? left + 1 : left;
  }

  #place(at: number): number {
    return (this.#entries[at] as Entry<T>).place;
  }

  #swap(a: number, b: number): void {
    const entries = this.#entries;
    const one = entries[a] as Entry<T>;
    entries[a] = entries[b] as Entry<T>;
    entries[b] = one;
  }
}
