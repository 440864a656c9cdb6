/**
 * The store as nodes: `ctx.store`, visible in the graph. What they read is recorded like any output, and not read again when a run
 * goes on. None of them is `pure`: what they give depends on when they run.
 */
import type { Duration } from "../base/duration.ts";
import { op } from "../build/op.ts";
import type { Op, OpCtx } from "../model/op.ts";
import type { InferOutput, StandardSchemaV1 } from "../model/standard-schema.ts";
import type { Namespace, SearchOptions, StoreItem, StorePlace } from "../model/store.ts";
import { validate } from "../runtime/validate.ts";
import { placeText } from "./place.ts";

/** What `storeGet` gives. */
export interface Found<T = unknown> {
  /** Undefined: there is no such entry. */
  readonly value: T | undefined;
  readonly found: boolean;
}

/** What `storePut` is given. */
export interface PutInput<T = unknown> extends StorePlace {
  readonly value: T;
  readonly ttl?: Duration | undefined;
  readonly refresh?: boolean | undefined;
}

/** What `storeSearch` is asked. */
export interface SearchInput extends SearchOptions {
  /** Where the namespaces begin; `[]`: all. */
  readonly prefix: Namespace;
}

/** What `storeSearch` gives. */
export interface FoundItems<T = unknown> {
  readonly items: readonly StoreItem<T>[];
}

export interface StoreOps<T> {
  /** Reads one entry, as `ctx.store.get` does. */
  readonly storeGet: Op<StorePlace, Found<T>>;
  /** Puts a value there, as `ctx.store.put` does; gives the place. Done again after a crash, it puts the same again. */
  readonly storePut: Op<PutInput<T>, StorePlace>;
  /** Looks for entries, as `ctx.store.search` does. */
  readonly storeSearch: Op<SearchInput, FoundItems<T>>;
  /** Takes an entry away, as `ctx.store.delete` does; gives the place. */
  readonly storeDelete: Op<StorePlace, StorePlace>;
}

/**
 * The ops of the store for values of one type. With a schema they validate what they read and what they put (`InvalidValue`); without
 * one the caller says what it is, and nobody checks it.
 *
 * ```ts
 * const profiles = storeOps(z.object({ language: z.string() }));
 * const language = profiles.storeGet({ namespace: ["users", input.user], key: "profile" }).value.language;
 * ```
 */
export function storeOps<T = unknown>(): StoreOps<T>;
export function storeOps<X extends StandardSchemaV1>(schema: X): StoreOps<InferOutput<X>>;
export function storeOps(schema?: StandardSchemaV1): object {
  return { storeGet: getOp(schema), storePut: putOp(schema), storeSearch: searchOp(schema), storeDelete };
}

function getOp(schema: StandardSchemaV1 | undefined): Op<StorePlace, Found> {
  return op("storeGet", async ({ namespace, key }: StorePlace, ctx: OpCtx): Promise<Found> => {
    const item = await ctx.store.get(namespace, key);
    if (item === undefined) return { value: undefined, found: false };
    return { value: await checked(schema, item, item.value), found: true };
  });
}

function putOp(schema: StandardSchemaV1 | undefined): Op<PutInput, StorePlace> {
  return op("storePut", async ({ namespace, key, value, ttl, refresh }: PutInput, ctx: OpCtx): Promise<StorePlace> => {
    await ctx.store.put(namespace, key, await checked(schema, { namespace, key }, value), { ttl, refresh });
    return { namespace, key };
  });
}

function searchOp(schema: StandardSchemaV1 | undefined): Op<SearchInput, FoundItems> {
  return op("storeSearch", async ({ prefix, ...options }: SearchInput, ctx: OpCtx): Promise<FoundItems> => {
    const items: StoreItem[] = [];
    for (const item of await ctx.store.search(prefix, options))
      items.push({ ...item, value: await checked(schema, item, item.value) });
    return { items };
  });
}

function checked(schema: StandardSchemaV1 | undefined, place: StorePlace, value: unknown): unknown {
  return schema === undefined ? value : validate(schema, value, `the value of ${placeText(place)}`);
}

export const storeDelete: StoreOps<unknown>["storeDelete"] = op(
  "storeDelete",
  async ({ namespace, key }: StorePlace, ctx: OpCtx): Promise<StorePlace> => {
    await ctx.store.delete(namespace, key);
    return { namespace, key };
  },
);

export const storeGet: StoreOps<unknown>["storeGet"] = getOp(undefined);
export const storePut: StoreOps<unknown>["storePut"] = putOp(undefined);
export const storeSearch: StoreOps<unknown>["storeSearch"] = searchOp(undefined);
