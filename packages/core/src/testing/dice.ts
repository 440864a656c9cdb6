/** Seeded randomness for tests: the same seed gives the same throws, on every machine. */
export class Dice {
  #a: number;
  #b: number;
  #c: number;
  #d = 1;

  constructor(seed: number, stream = 0) {
    this.#a = seed | 0;
    this.#b = Math.floor(seed / 2 ** 32) | 0;
    this.#c = stream | 0;
    for (let i = 0; i < 12; i++) this.#next();
  }

  /** Chris Doty-Humphrey's sfc32 (PractRand): 32 bits. */
  #next(): number {
    const t = (((this.#a + this.#b) | 0) + this.#d) | 0;
    this.#d = (this.#d + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + t;
    return t >>> 0;
  }

  /** In [0, 1). */
  fraction(): number {
    return this.#next() / 2 ** 32;
  }

  /** 0 .. n-1. */
  below(n: number): number {
    return Math.floor(this.fraction() * n);
  }

  chance(probability: number): boolean {
    return this.fraction() < probability;
  }

  of<T>(values: readonly T[]): T {
    return values[this.below(values.length)] as T;
  }
}
