/** Resources as authors name them: clients that an engine is given, and that ops get by name. Never journaled. */

declare const value: unique symbol;

/** A typed name for something an op needs: a model, a database, an HTTP client. Tokens of one name are one resource. */
export interface Resource<T> {
  readonly name: string;
  readonly [value]: () => T;
  /** In `bind: [Chat.to(Big)]` of a call: whatever inside needs `Chat` gets `Big`. */
  to(this: void, other: Resource<T>): Binding;
}

/** What `token.to(other)` made. */
export interface Binding {
  readonly from: string;
  readonly to: string;
}

/** What an op needs, under the names its body calls them by. */
export interface Needs {
  readonly [key: string]: Resource<unknown>;
}

/** An op that needs nothing. */
export type NoNeeds = { readonly [K in never]: never };

/** `ctx.resources` of an op with needs `N`. */
export type ResourcesOf<N> = { readonly [K in keyof N]: N[K] extends Resource<infer T> ? T : never };
