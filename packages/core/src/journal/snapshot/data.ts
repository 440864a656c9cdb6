/**
 * Values of user code as a snapshot keeps them. Unlike the codec, which writes what is shared once per reference, this
 * keeps one object one object: the input of a hundred bodies is stored once, and is the same object for all of them again.
 *
 * A value is JSON that stands for itself, or an object with one of these keys: `$d` a part that is referred to later, with
 * its number; `$r` such a reference; `$f` a part that is frozen; `$v` what the codec has to write; `$u` undefined; `$o` a
 * mark of a collector; `$c` a constant of the graph, by its number. Objects with a key of their own that begins with `$` are left to the codec.
 */
import { deepFreeze } from "../../base/freeze.ts";
import { omitted, unresolved } from "../../state/collect.ts";
import { decode, encode } from "../codec/codec.ts";
import { corrupt } from "../codec/corrupt.ts";
import type { Constants } from "./constants.ts";

type Fields = Record<string, unknown>;

/** What is left of what a snapshot may cost, in characters. */
export class Budget {
  #left: number;

  constructor(characters: number) {
    this.#left = characters;
  }

  /** @throws OverBudget */
  spend(characters: number): void {
    this.#left -= characters;
    if (this.#left < 0) throw new OverBudget();
  }
}

/** The state is larger than a snapshot of it is worth. */
export class OverBudget extends Error {}

/** The form of a value that is an object: it may still change, as long as anything is written. */
class Whole {
  form: unknown = null;

  toJSON(): unknown {
    return this.form;
  }
}

/** Where the form of an object stands, once it is made. */
interface Place {
  readonly parent: Fields;
  readonly key: string | number;
  /** 0: nothing else refers to it. */
  id: number;
}

export class DataWriter {
  readonly #budget: Budget;
  readonly #written: Map<object, Place> = new Map();
  readonly #shared: Place[] = [];
  readonly #constants: Constants["numbers"];

  constructor(budget: Budget, { numbers }: Constants) {
    this.#budget = budget;
    this.#constants = numbers;
  }

  /** Complete after `finish`. @throws MillraceError `Unencodable`, naming the path inside of the part that cannot be kept */
  write(value: unknown): unknown {
    const whole = new Whole();
    whole.form = this.#part(value, whole as unknown as Fields, "form", false);
    return typeof value === "object" && value !== null ? whole : whole.form;
  }

  /** Everything is written: what is referred to gets its number, where it stands. */
  finish(): void {
    for (const { parent, key, id } of this.#shared) parent[key] = { $d: [id, parent[key]] };
  }

  #part(value: unknown, parent: Fields, key: string | number, inFrozen: boolean): unknown {
    this.#budget.spend(2);
    if (typeof value === "object" && value !== null) return this.#object(value, parent, key, inFrozen);
    if (typeof value === "string") this.#budget.spend(value.length);
    else if (!isPlainPrimitive(value)) return this.#special(value);
    return value;
  }

  #special(value: unknown): unknown {
    if (value === undefined) return { $u: 0 };
    if (value === omitted || value === unresolved) return { $o: value === omitted ? 0 : 1 };
    const constant = typeof value === "function" ? this.#constants.get(value) : undefined;
    return constant === undefined ? { $v: encode(value) } : { $c: constant };
  }

  #object(value: object, parent: Fields, key: string | number, inFrozen: boolean): unknown {
    const constant = this.#constants.size === 0 ? undefined : this.#constants.get(value);
    if (constant !== undefined) return { $c: constant };
    const known = this.#written.get(value);
    if (known !== undefined) return { $r: this.#numberOf(known) };
    this.#written.set(value, { parent, key, id: 0 });
    const isPlain = Array.isArray(value) ? isList(value) : isRecord(value);
    if (!isPlain) return this.#byCodec(value);
    const freezes = !inFrozen && Object.isFrozen(value);
    const form = this.#plain(value, inFrozen || freezes);
    return freezes ? { $f: form } : form;
  }

  #plain(value: object, inFrozen: boolean): unknown {
    return Array.isArray(value) ? this.#list(value, inFrozen) : this.#record(value as Fields, inFrozen);
  }

  #numberOf(place: Place): number {
    if (place.id === 0) place.id = this.#shared.push(place);
    return place.id;
  }

  #list(list: unknown[], inFrozen: boolean): unknown {
    const form: unknown[] = [];
    for (let i = 0; i < list.length; i++) form.push(this.#part(list[i], form as unknown as Fields, i, inFrozen));
    return form;
  }

  #record(record: Fields, inFrozen: boolean): unknown {
    const form: Fields = {};
    for (const key of Object.keys(record)) {
      this.#budget.spend(key.length + 4);
      form[key] = this.#part(record[key], form, key, inFrozen);
    }
    return form;
  }

  #byCodec(value: object): unknown {
    const text = encode(value);
    this.#budget.spend(text.length);
    return { $v: text };
  }
}

function isPlainPrimitive(value: unknown): boolean {
  if (typeof value === "number") return Number.isFinite(value) && !Object.is(value, -0);
  return typeof value === "boolean" || typeof value === "string" || value === null;
}

/** Without holes and without anything beside its elements. */
function isList(value: unknown[]): boolean {
  if (Object.getPrototypeOf(value) !== Array.prototype) return false;
  return Object.keys(value).length === value.length && Object.getOwnPropertySymbols(value).length === 0;
}

/** A plain object that JSON gives back as it is. An accessor is read: nothing that was encoded before has any. */
function isRecord(value: object): boolean {
  if (Object.getPrototypeOf(value) !== Object.prototype || Object.getOwnPropertySymbols(value).length > 0) return false;
  const keys = Object.keys(value);
  for (const key of keys) if (key.startsWith("$") || key === "__proto__") return false;
  return Object.getOwnPropertyNames(value).length === keys.length;
}

/** Reads what a `DataWriter` wrote, in the same order: what is referred to comes before the references. */
export class DataReader {
  readonly #shared: Map<number, unknown> = new Map();
  readonly #constants: Constants["all"];

  constructor({ all }: Constants) {
    this.#constants = all;
  }

  /** `form` is used up: plain parts become the value. */
  read(form: unknown): unknown {
    if (typeof form !== "object" || form === null) return form;
    if (Array.isArray(form)) return this.#list(form);
    for (const key in form) if (key.startsWith("$")) return this.#marked(form as Fields);
    return this.#record(form as Fields);
  }

  #list(list: unknown[]): unknown[] {
    for (let i = 0; i < list.length; i++) list[i] = this.read(list[i]);
    return list;
  }

  #record(record: Fields): Fields {
    for (const key of Object.keys(record)) record[key] = this.read(record[key]);
    return record;
  }

  #marked(form: Fields): unknown {
    if ("$r" in form) return this.#sharedAt(form["$r"] as number);
    if ("$c" in form) return this.#constants[form["$c"] as number];
    if ("$u" in form) return undefined;
    if ("$v" in form) return decode(form["$v"] as string);
    if ("$o" in form) return form["$o"] === 0 ? omitted : unresolved;
    if ("$f" in form) return frozen(this.read(form["$f"]));
    if (!("$d" in form)) throw corrupt("a snapshot has an unknown mark");
    const [id, body] = form["$d"] as [number, unknown];
    // A part may refer to what it is in: plain parts become the value, so that it is known before it is read.
    const inner = isMarked(body, "$f") ? body["$f"] : body;
    if (!isMarked(inner, "$v")) this.#shared.set(id, inner);
    const value = this.read(body);
    this.#shared.set(id, value);
    return value;
  }

  #sharedAt(id: number): unknown {
    if (!this.#shared.has(id)) throw corrupt("a snapshot refers to a part that it does not have");
    return this.#shared.get(id);
  }
}

function isMarked<K extends string>(form: unknown, mark: K): form is Record<K, unknown> {
  return typeof form === "object" && form !== null && mark in form;
}

function frozen(value: unknown): unknown {
  deepFreeze(value);
  return value;
}
