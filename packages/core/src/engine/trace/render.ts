/** Values as bounded JSON: what they hold is shown, what they are worth in memory is not paid. */
import type { Redactor } from "../../secrets/redactor.ts";
import { isSecretRef } from "../../secrets/secret-ref.ts";
import { isSecret, redactedMark } from "../../secrets/secret.ts";
import { fieldOf, isHidden, type Shown } from "./fields.ts";

export const excluded = "[excluded]";
const deepest = 24;

/** JSON of about `limit` characters at most; what is left out is counted where it stood. Never throws. */
export function renderValue(value: unknown, shown: Shown, limit: number, redactor: Redactor): string {
  if (isHidden(shown)) return JSON.stringify(excluded);
  return JSON.stringify(new Renderer(limit, redactor).plain(value, shown, 0)) ?? "null";
}

/** Without secrets, a text of at most `limit` characters. */
export function cut(text: string, limit: number, redactor: Redactor): string {
  const head = redactor.head(text, limit);
  return text.length <= limit ? head : `${head}… [${text.length - limit} more characters]`;
}

class Renderer {
  #left: number;
  readonly #redactor: Redactor;

  constructor(limit: number, redactor: Redactor) {
    this.#left = limit;
    this.#redactor = redactor;
  }

  plain(value: unknown, shown: Shown, depth: number): unknown {
    if (typeof value === "string") return this.#text(value);
    this.#left -= 8;
    if (typeof value !== "object" || value === null) return leaf(value);
    if (depth > deepest) return "[deeper]";
    if (isSecret(value)) return redactedMark;
    if (isSecretRef(value)) return `[secret ${value.name}]`;
    try {
      return this.#structure(value, shown, depth);
    } catch {
      return "[unreadable]";
    }
  }

  #text(text: string): string {
    const shown = cut(text, Math.max(0, this.#left), this.#redactor);
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
      put(this.#text(key), below === null ? excluded : this.#field(key, value, below, depth));
    }
    return record;
  }

  /** Of what its key says is secret, only whether it is there. */
  #field(key: string, value: unknown, shown: Shown, depth: number): unknown {
    const open = value === null || typeof value === "boolean" || value === "" || isSecretRef(value);
    return !open && this.#redactor.hides(key) ? redactedMark : this.plain(value, shown, depth + 1);
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
