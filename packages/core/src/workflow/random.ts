/** Random numbers that are the same whenever a body runs: drawn from a seed, in the order in which they are asked for. */
import { systemSha256 } from "../ports/system.ts";

export class SeededRandom {
  readonly #seed: string;
  #drawn = 0;

  constructor(seed: string) {
    this.#seed = seed;
  }

  /** At least 0 and less than 1, with 52 bits. */
  number(): number {
    return Number.parseInt(this.#next().slice(0, 13), 16) / 2 ** 52;
  }

  /** Version 4 of RFC 9562. */
  uuid(): string {
    const hex = this.#next();
    const variant = ((Number.parseInt(hex[16]!, 16) & 3) | 8).toString(16);
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
  }

  #next(): string {
    return systemSha256(`${this.#seed}\n${this.#drawn++}`);
  }
}
