/**
 * Where a ref lives: once per run, once per item, once per item of an item … Each is a subtype of the next, so that
 * TypeScript infers the innermost scope of a call from its arguments. Deeper nesting is a `BuildError`.
 */
declare const depth: unique symbol;

/** Once per item of a stream inside a stream inside a stream. */
export interface Item3 {
  readonly [depth]: unknown;
}
/** Once per item of a stream that is itself made per item. */
export interface Item2 extends Item3 {
  readonly [depth]: object;
}
/** Once per item of a stream. */
export interface Item extends Item2 {
  readonly [depth]: readonly unknown[];
}
/** Once per run. */
export interface Run extends Item {
  readonly [depth]: readonly [];
}

/** Any scope; the bound of helpers that are generic in it: `function polite<S extends Scope>(t: Ref<string, S>)`. */
export type Scope = Item3;

/** The one of several scopes that the others enclose. */
export type Innermost<S> = [S] extends [Run] ? Run : [S] extends [Item] ? Item : [S] extends [Item2] ? Item2 : Item3;

/** One stream further in. */
export type Inner<S> = [S] extends [Run] ? Item : [S] extends [Item] ? Item2 : Item3;

/** One stream further out. */
export type Outer<S> = [S] extends [Item] ? Run : [S] extends [Item2] ? Item : Item2;
