/** References: what values are called while a graph is being built. */
import type { OpError } from "../events/record.ts";
import type { Inner, Innermost, Item, Item2, Run, Scope } from "./scope.ts";

declare const value: unique symbol;
declare const scope: unique symbol;
declare const many: unique symbol;
declare const finish: unique symbol;
declare const finishScope: unique symbol;

type Primitive = string | number | boolean | bigint | symbol | null | undefined;
/** Values whose fields are not read by reference. */
type Leaf = Primitive | Date | Uint8Array | readonly unknown[] | ((...values: never[]) => unknown);

/** A value of type `T` that will exist once per `S`, without field access. Accept this where only the value matters. */
export interface RefOf<out T, out S extends Scope = Run> {
  readonly [value]: () => T;
  readonly [scope]: () => S;
}

type AllKeys<T> = T extends unknown ? keyof T : never;
type At<T, K> = T extends unknown ? (K extends keyof T ? T[K] : undefined) : never;
/** Of members with the same keys: `Box["n"]` instead of a type parameter, or TypeScript would take each member by itself. */
type SameKeys<Box extends { n: unknown }, S extends Scope> = {
  readonly [K in keyof Box["n"]]-?: Ref<Box["n"][K], S>;
};
type Fields<T, N, S extends Scope> = [N] extends [Leaf]
  ? unknown
  : [N] extends [object]
    ? string extends keyof N
      ? unknown
      : [T] extends [N]
        ? [AllKeys<N>] extends [keyof N]
          ? SameKeys<{ n: N }, S>
          : { readonly [K in AllKeys<N>]: Ref<At<N, K>, S> }
        : { readonly [K in AllKeys<N>]: Ref<At<T, K>, S> }
    : unknown;

/**
 * A value of type `T` that will exist once per `S`. Its fields are refs, through optional and union types as well
 * (`input.maybe.deep.v` is a ref of `string | undefined`).
 *
 * A ref is not the value: arithmetic, template strings, spreading, iteration, `await` and calls throw a `BuildError`
 * that says what to write instead. Its truth cannot be caught: a ref is always truthy. The rule of `millrace/lint` finds that.
 */
export type Ref<T, S extends Scope = Run> = RefOf<T, S> & Fields<T, NonNullable<T>, S>;

type Carry<S extends Scope> =
  | RefOf<unknown, S>
  | readonly Carry<S>[]
  | { readonly [key: string]: Carry<S> }
  | Primitive
  | object;

/** What may stand for a `T` in the input of a call: the value, a ref of it, or a structure that holds refs. */
export type Arg<T, S extends Scope> = unknown extends T
  ? Carry<S>
  : | T
    | RefOf<T, S>
    | (T extends Leaf
        ? T extends readonly (infer E)[]
          ? readonly Arg<E, S>[]
          : never
        : T extends object
          ? { [K in keyof T]: Arg<T[K], S> }
          : never);

/** The input record of a call. An `undefined` counts as absent, also under `exactOptionalPropertyTypes`. */
export type Args<I, S extends Scope> = {
  [K in keyof I]: Arg<I[K], S> | ({} extends Pick<I, K> ? RefOf<I[K] | undefined, S> | undefined : never);
};

/**
 * Many values over time. The output of a generator op is one; the output of a graph may be or hold some. `F` is what the
 * generator returns after them, when it returns something.
 */
export interface Stream<out T, out F = unknown> {
  readonly [many]: () => T;
  readonly [finish]?: () => F;
}

/** The result of calling a generator op that returns an `F`: `final` reads it. */
export interface Finishing<out F, out S extends Scope> {
  readonly [finish]: () => F;
  readonly [finishScope]: () => S;
}

/** Known only of a stream that comes straight from an op. */
type Finished<F, S extends Scope> = unknown extends F ? unknown : Finishing<F, S>;

/** Whether a record holds a stream directly. */
type HasStream<O> = true extends {
  [K in keyof O]: 0 extends 1 & O[K] ? false : O[K] extends Stream<unknown> ? true : false;
}[keyof O]
  ? true
  : false;

type ItemOf<Y> = Y extends Stream<infer Z> ? ItemOf<Z> : Y;
type ItemScope<Y, S extends Scope> = Y extends Stream<infer Z> ? ItemScope<Z, Inner<S>> : S;

/** What calling an op or graph gives its caller: an item ref per stream, a ref otherwise. */
export type Out<O, S extends Scope> = [O] extends [Stream<infer Y, infer F>]
  ? Ref<ItemOf<Y>, ItemScope<Y, Inner<S>>> & Finished<F, S>
  : HasStream<O> extends true
    ? { readonly [K in keyof O]: O[K] extends Stream<infer Y> ? Ref<ItemOf<Y>, ItemScope<Y, Inner<S>>> : Ref<O[K], S> }
    : Ref<O, S>;

/** What a run gives: the output with its streams as arrays. */
export type Output<O> =
  O extends Stream<infer Y>
    ? Output<Y>[]
    : HasStream<O> extends true
      ? { [K in keyof O]: O[K] extends Stream<infer Y> ? Output<Y>[] : O[K] }
      : O;

/** The keys of an output record that are streams. */
export type StreamKeys<O> = {
  [K in keyof O]: 0 extends 1 & O[K] ? never : O[K] extends Stream<unknown> ? K : never;
}[keyof O];

/** One item of the stream that `O` is, or that it has under `K`; inner streams are arrays. */
export type ItemsOf<O, K> = unknown extends O
  ? unknown
  : O extends Stream<infer Y>
    ? Output<Y>
    : K extends keyof O
      ? O[K] extends Stream<infer Y>
        ? Output<Y>
        : never
      : never;

/** The value type of a structure that holds refs. What holds none stays as it is, however it refers to itself. */
export type Unref<V> =
  V extends RefOf<infer T, Scope>
    ? T
    : V extends void
      ? undefined
      : [ScopesIn<V>] extends [never]
        ? V
        : V extends readonly unknown[]
          ? { [K in keyof V]: Unref<V[K]> }
          : V extends Leaf
            ? V
            : V extends object
              ? { [K in keyof V]: Unref<V[K]> }
              : V;

/** How far refs are looked for: types of values may refer to themselves, as that of JSON does. */
type Deepest = 8;

/** The scopes of the refs in a structure, as a union. An `any` is taken for a plain value: the build decides. */
export type ScopesIn<V, Depth extends readonly unknown[] = []> = 0 extends 1 & V
  ? never
  : V extends RefOf<unknown, infer S>
    ? S
    : Depth["length"] extends Deepest
      ? never
      : V extends readonly unknown[]
        ? { [K in keyof V]-?: ScopesIn<V[K], [...Depth, unknown]> }[number]
        : V extends Leaf
          ? never
          : V extends object
            ? { [K in keyof V]-?: ScopesIn<V[K], [...Depth, unknown]> }[keyof V]
            : never;

/** The innermost scope of the refs in a structure. */
export type ScopeIn<V> = Innermost<ScopesIn<V>>;

type Wrap<T, S extends Scope> = [S] extends [Run]
  ? T
  : [S] extends [Item]
    ? Stream<T>
    : [S] extends [Item2]
      ? Stream<Stream<T>>
      : Stream<Stream<Stream<T>>>;

/** The output type of a graph whose body returns `R`: what lives per item becomes a stream. */
export type GraphOut<R> =
  R extends RefOf<infer T, infer S> ? Wrap<T, S> : { [K in keyof R]: Wrap<Unref<R[K]>, ScopeIn<R[K]>> };

/** Unsatisfiable, as a sentence, when nothing in `V` lives per item. */
export type NeedItem<V> = [ScopeIn<V>] extends [Run]
  ? { readonly "this is one value, not a stream; wrap its list in each()": never }
  : unknown;

/** One item of `collect(…, { errors: "settle" })`. */
export type Settled<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: OpError };
