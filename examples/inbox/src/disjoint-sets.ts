/** Union-find with path halving: which keys were joined, directly or through others. Unknown keys stand alone. */
export class DisjointSets {
  readonly #parent = new Map<string, string>();

  /** The key that stands for the whole set of `key`. */
  find(key: string): string {
    let at = key;
    for (;;) {
      const parent = this.#parent.get(at) ?? at;
      if (parent === at) return at;
      const grandparent = this.#parent.get(parent) ?? parent;
      this.#parent.set(at, grandparent);
      at = grandparent;
    }
  }

  join(a: string, b: string): void {
    const rootA = this.find(a);
    const rootB = this.find(b);
    if (rootA !== rootB) this.#parent.set(rootB, rootA);
  }
}
