/** How the fields of what a state is made of are written and read. */
import type { NodeKind } from "./nodes.ts";
import type { StateReader } from "./state-reader.ts";
import type { StateWriter } from "./state-writer.ts";

/** `owner`: what the field is of; what stands before it in the description is there. */
export interface Field<V, O = unknown> {
  save(writer: StateWriter, value: V, owner: O): unknown;
  load(reader: StateReader, saved: unknown, owner: O): V;
  /** `load` has put it in its place. */
  readonly inPlace?: true;
}

type DataKeys<T> = { [K in keyof T]: T[K] extends (...args: never[]) => unknown ? never : K }[keyof T];

/** A field for everything that an object has, but for what its constructor is given. */
export type FieldsOf<T, Given extends keyof T = never> = {
  readonly [K in Exclude<DataKeys<T>, Given>]: Field<T[K], T>;
};

/** As JSON has it. */
export const plain: Field<never> = { save: (_, value) => value, load: (_, saved) => saved as never };

/** A value of user code. */
export const data: Field<unknown> = {
  save: (writer, value) => writer.data(value),
  load: (reader, saved) => reader.data(saved),
};

/** Late: kinds refer to each other. */
export function node<T extends object>(kind: () => NodeKind<T>): Field<T | null> {
  return {
    save: (writer, object) => writer.node(kind(), object),
    load: (reader, saved) => reader.node(saved as number) as T | null,
  };
}

/** The same, where there always is one. */
export function one<T extends object>(kind: () => NodeKind<T>): Field<T> {
  return node(kind) as Field<T>;
}

export function nodes<T extends object>(kind: () => NodeKind<T>): Field<T[]> {
  return listOf(one(kind));
}

export function listOf<V>(field: Field<V>): Field<V[]> {
  return {
    save: (writer, list) => Array.from(list, (value) => field.save(writer, value, undefined)),
    load: (reader, saved) => (saved as unknown[]).map((one) => field.load(reader, one, undefined)),
  };
}

/** `field` saves nothing as 0: so many of them as stand together are one number below 0. A list that has each of them is read, too. */
export function sparse<V>(field: Field<V | undefined>): Field<(V | undefined)[]> {
  return {
    save(writer, list) {
      const saved: unknown[] = [];
      let missing = 0;
      for (const value of list) {
        if (value === undefined) missing++;
        else {
          if (missing > 0) saved.push(-missing);
          missing = 0;
          saved.push(field.save(writer, value, undefined));
        }
      }
      return saved;
    },
    load: (reader, saved) =>
      (saved as unknown[]).flatMap((one) =>
        typeof one === "number" && one < 0
          ? Array.from<undefined>({ length: -one })
          : [field.load(reader, one, undefined)],
      ),
  };
}

/** `field` saves nothing as 0. */
export function maybe<V>(field: Field<V>): Field<V | null> {
  return {
    save: (writer, value) => (value === null ? 0 : field.save(writer, value, undefined)),
    load: (reader, saved) => (saved === 0 ? null : field.load(reader, saved, undefined)),
  };
}

/** By number, in order. */
export function entries<V>(field: Field<V>): Field<Map<number, V>> {
  return {
    save: (writer, map) => Array.from(map, ([key, value]) => [key, field.save(writer, value, undefined)]),
    load: (reader, saved) =>
      new Map((saved as [number, unknown][]).map(([key, one]) => [key, field.load(reader, one, undefined)])),
  };
}

/** For what an object puts in its place itself. */
export function inPlace<V, O>(field: {
  save(writer: StateWriter, value: V): unknown;
  load(reader: StateReader, saved: unknown, owner: O): void;
}): Field<V, O> {
  return {
    save: (writer, value) => field.save(writer, value),
    load: (reader, saved, owner) => field.load(reader, saved, owner) as V,
    inPlace: true,
  };
}
