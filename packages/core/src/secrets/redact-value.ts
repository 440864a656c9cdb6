import { isSecretRef } from "./secret-ref.ts";
import { isSecret, redactedMark } from "./secret.ts";

/** What decides of keys and texts. */
export interface Rules {
  hides(key: string): boolean;
  text(text: string): string;
}

const deepest = 32;
const mostParts = 100_000;

/**
 * A copy without secrets, or the value itself when there are none in it: what cannot hold any is never copied. Values that
 * are nested deeper or have more parts than anybody reads are cut, not let through.
 */
export function redactValue(value: unknown, rules: Rules): unknown {
  try {
    return new Walk(rules).redact(value, 0);
  } catch {
    return "[unreadable]";
  }
}

class Walk {
  readonly #rules: Rules;
  readonly #open: Set<object> = new Set();
  #parts = 0;

  constructor(rules: Rules) {
    this.#rules = rules;
  }

  redact(value: unknown, depth: number): unknown {
    if (typeof value === "string") return this.#rules.text(value);
    if (typeof value !== "object" || value === null) return value;
    if (isSecret(value)) return redactedMark;
    if (isSecretRef(value) || ArrayBuffer.isView(value) || value instanceof Date) return value;
    if (this.#open.has(value)) return "[circular]";
    if (depth > deepest || ++this.#parts > mostParts) return "[not shown]";
    this.#open.add(value);
    const redacted = this.#container(value, depth + 1);
    this.#open.delete(value);
    return redacted;
  }

  #container(value: object, depth: number): unknown {
    if (Array.isArray(value)) return this.#list(value, depth);
    if (value instanceof Map) return this.#map(value, depth);
    if (value instanceof Set) {
      const items = [...value];
      const list = this.#list(items, depth);
      return list === items ? value : new Set(list);
    }
    if (value instanceof URL || value instanceof RegExp) {
      const text = String(value);
      const shown = this.#rules.text(text);
      return shown === text ? value : shown;
    }
    return this.#record(value, depth);
  }

  #list(list: readonly unknown[], depth: number): readonly unknown[] {
    let copy: unknown[] | null = null;
    for (const [i, item] of list.entries()) {
      const redacted = this.redact(item, depth);
      if (redacted !== item) (copy ??= [...list])[i] = redacted;
    }
    return copy ?? list;
  }

  #map(map: ReadonlyMap<unknown, unknown>, depth: number): unknown {
    let changed = false;
    const entries = [...map].map(([key, item]) => {
      const pair = [this.redact(key, depth), this.#under(key, item, depth)] as const;
      changed ||= pair[0] !== key || pair[1] !== item;
      return pair;
    });
    return changed ? new Map(entries) : map;
  }

  /** Errors keep their message and stack in properties that are not enumerable. */
  #record(record: object, depth: number): object {
    const changes: [string, PropertyDescriptor][] = [];
    for (const [key, property] of Object.entries(Object.getOwnPropertyDescriptors(record))) {
      if (!("value" in property)) continue;
      const redacted = this.#under(key, property.value, depth);
      if (redacted !== property.value) changes.push([key, { ...property, value: redacted }]);
    }
    // A stack that is an accessor is one of the host's, and is read like any other.
    if (record instanceof Error) this.#stack(record, changes);
    if (changes.length === 0) return record;
    const properties = { ...Object.getOwnPropertyDescriptors(record), ...Object.fromEntries(changes) };
    const prototype = Object.getPrototypeOf(record) as object | null;
    return Object.defineProperties(Object.create(prototype) as object, properties);
  }

  #stack(error: Error, changes: [string, PropertyDescriptor][]): void {
    const { stack } = error;
    if (typeof stack !== "string" || changes.some(([key]) => key === "stack")) return;
    const value = this.#rules.text(stack);
    if (value !== stack || changes.length > 0)
      changes.push(["stack", { value, writable: true, configurable: true, enumerable: false }]);
  }

  /** Whether something is there is no secret. */
  #under(key: unknown, item: unknown, depth: number): unknown {
    const hidden = typeof key === "string" && this.#rules.hides(key);
    if (!hidden || item === null || item === undefined || typeof item === "boolean") return this.redact(item, depth);
    if (typeof item === "function" || item === "" || isSecretRef(item)) return item;
    return redactedMark;
  }
}
