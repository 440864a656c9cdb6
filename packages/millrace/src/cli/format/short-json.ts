/** A value as JSON on one line, cut: no more of it is looked at than is shown. What JSON has no form for is as in `json.ts`. */
import { plain } from "./json.ts";
import { oneLine } from "./text.ts";

/** At most `limit` characters, and a `…` where something was left out. */
export function shortJson(value: unknown, limit: number): string {
  const short = new Short(limit);
  short.value(value, 0);
  const text = oneLine(short.text);
  return text.length > limit || short.isCut ? `${text.slice(0, limit)}…` : text;
}

const deepest = 20;

class Short {
  text = "";
  isCut = false;
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get #isFull(): boolean {
    this.isCut ||= this.text.length >= this.#limit;
    return this.isCut;
  }

  value(value: unknown, depth: number): void {
    if (this.#isFull) return;
    if (typeof value === "string") this.#string(value);
    else if (typeof value !== "object" || value === null) this.text += JSON.stringify(plain(value)) ?? "null";
    else if (depth > deepest) this.isCut = true;
    else this.#object(value, depth + 1);
  }

  /** The end of one that is cut is not quoted. */
  #string(text: string): void {
    const room = this.#limit - this.text.length;
    if (text.length <= room) this.text += JSON.stringify(text);
    else {
      this.text += JSON.stringify(text.slice(0, room)).slice(0, -1);
      this.isCut = true;
    }
  }

  #object(value: object, depth: number): void {
    if (Array.isArray(value) || value instanceof Set) return this.#list(value, depth);
    if (ArrayBuffer.isView(value) && value.byteLength > this.#limit) {
      this.text += `"${value.constructor.name} of ${value.byteLength} bytes"`;
      return;
    }
    if (value instanceof Map && [...value.keys()].every((key) => typeof key === "string"))
      return this.#record(value as ReadonlyMap<string, unknown>, depth);
    const prototype = Object.getPrototypeOf(value) as object | null;
    if (prototype === null || prototype === Object.prototype) return this.#record(Object.entries(value), depth);
    // Of other kinds only errors, dates and the like are left, which are small.
    const shown = plain(value);
    if (typeof shown === "object" && shown !== null && !Array.isArray(shown))
      this.#record(Object.entries(shown), depth);
    else this.value(shown, depth);
  }

  #list(items: Iterable<unknown>, depth: number): void {
    this.text += "[";
    let first = true;
    for (const item of items) {
      if (this.#isFull) return;
      if (!first) this.text += ",";
      first = false;
      this.value(item ?? null, depth);
    }
    this.text += "]";
  }

  /** As JSON has it: keys without a value are left out. */
  #record(entries: Iterable<readonly [string, unknown]>, depth: number): void {
    this.text += "{";
    let first = true;
    for (const [key, item] of entries) {
      if (item === undefined) continue;
      if (this.#isFull) return;
      if (!first) this.text += ",";
      first = false;
      this.#string(key);
      this.text += ":";
      this.value(item, depth);
    }
    this.text += "}";
  }
}
