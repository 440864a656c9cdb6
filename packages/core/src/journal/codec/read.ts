// The slow path of decoding. Nothing in a form is trusted: tags are looked up in a Map, objects are filled by own keys,
// and what does not fit is `JournalCorrupt`.

import { MAX_DEPTH, type Reading, TAG_KEY } from "./contract.ts";
import { corrupt } from "./corrupt.ts";
import { ownValue } from "./own.ts";
import type { Registry } from "./registry.ts";
import { readProperties } from "./types/object.ts";
import { BY_TAG } from "./types/table.ts";

/** The value of a form. The form itself is not changed and may be read again. */
export function readForm(form: unknown, registry: Registry | undefined): unknown {
  return new Reader(registry).child(form);
}

/** One level deeper than values may be: the form of an undefined or a bigint is an object too. */
class Reader implements Reading {
  readonly registry: Registry | undefined;
  #depth = 0;

  constructor(registry: Registry | undefined) {
    this.registry = registry;
  }

  child(form: unknown): unknown {
    if (typeof form !== "object" || form === null) return form;
    if (this.#depth > MAX_DEPTH) throw corrupt(`nested deeper than ${MAX_DEPTH} levels`);
    this.#depth++;
    const value = this.#container(form);
    this.#depth--;
    return value;
  }

  #container(form: object): unknown {
    if (Array.isArray(form)) return form.map((element) => this.child(element));
    if (!Object.hasOwn(form, TAG_KEY)) return readProperties(form, {}, this);
    const type = BY_TAG.get(ownValue(form, TAG_KEY));
    if (type === undefined) throw corrupt("unknown tag");
    return type.read(ownValue(form, "v") ?? null, this);
  }
}
