/** Values as bounded JSON: what they hold is shown, what they are worth in memory is not paid. */
import { fieldOf, isHidden, type Shown } from "./fields.ts";

export const excluded = "[excluded]";
const deepest = 24;

/** JSON of about `limit` characters at most; what is left out is counted where it stood. Never throws. */
export function renderValue(value: unknown, shown: Shown, limit: number): string {
  if (isHidden(shown)) return JSON.stringify(excluded);
  return JSON.stringify(new Renderer(limit).plain(value, shown, 0)) ?? "null";
}

/** A text of at most `limit` characters. */
export function cut(text: string, limit: number): string {
  if (text.length <= limit) return text;
  return `${text.slice(0, limit)}… [${text.length - limit} more characters]`;
}

class Renderer {
  #left: number;

  constructor(limit: number) {
    this.#left = limit;
  }

  plain(value: unknown, shown: Shown, depth: number): unknown {
    if (typeof value === "string") return this.#text(value);
    this.#left -= 8;
    if (typeof value !== "object" || value === null) return leaf(value);
    if (depth > deepest) return "[deeper]";
    try {
      return this.#structure(value, shown, depth);
    } catch {
      return "[unreadable]";
    }
  }

  #text(text: string): string {
    const shown = cut(text, Math.max(0, this.#left));
    this.#left -= shown.length + 2;
    return shown;
  }

  #structure(value: object, shown: Shown, depth: number): unknown {
    if (Array.isArray(value)) return this.#list(value, shown, depth);
    if (value instanceof Set) return this.#list([...value], shown, depth);
    if (value instanceof Map)
      return this.#record(
        [...value].map(([key, item]) => [keyText(key), item] as const),
        shown,
        depth,
      );
    if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
    if (value instanceof Date) return Number.isNaN(value.getTime()) ? "[invalid date]" : value.toISOString();
    if (value instanceof URL || value instanceof RegExp) return this.#text(String(value));
    const entries = Object.entries(value);
    if (value instanceof Error)
      return this.#record([["name", value.name], ["message", value.message], ...entries], shown, depth);
    return this.#record(entries, shown, depth);
  }

  #list(items: readonly unknown[], shown: Shown, depth: number): unknown[] {
    const list: unknown[] = [];
    for (const item of items) {
      if (this.#left <= 0) {
        list.push(`[${items.length - list.length} more items]`);
        break;
      }
      list.push(this.plain(item, shown, depth + 1));
    }
    return list;
  }

  #record(entries: readonly (readonly [string, unknown])[], shown: Shown, depth: number): object {
    const record = {};
    const put = (key: string, value: unknown): void =>
      void Object.defineProperty(record, key, { value, enumerable: true, configurable: true, writable: true });
    let count = 0;
    for (const [key, value] of entries) {
      if (this.#left <= 0) {
        put("…", `[${entries.length - count} more fields]`);
        break;
      }
      count++;
      if (value === undefined) continue;
      const below = fieldOf(shown, key);
      put(this.#text(key), below === null ? excluded : this.plain(value, below, depth + 1));
    }
    return record;
  }
}

function keyText(key: unknown): string {
  return typeof key === "string" ? key : String(leaf(key));
}

function leaf(value: unknown): unknown {
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value === "boolean" || value === null) return value;
  if (typeof value === "object") return "[object]";
  return value === undefined ? "[undefined]" : `[${typeof value}]`;
}
