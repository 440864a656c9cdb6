/**
 * The bodies of random ops. What one does depends on its name, its input and the attempt, and on nothing else; when it
 * does it is the theatre's: every wait of a body ends when the theatre says so.
 */
import type { OpCtx } from "../../model/op.ts";
import type { Row } from "./spec.ts";

/** Where bodies run: told of each that begins, and asked whenever one waits. */
export interface Theatre {
  enter(ctx: OpCtx): void;
  /** What the invocation at a path gives instead of its own: its output, or the items of a stream. */
  instead(path: string): { readonly value: unknown } | undefined;
  /** Ends when the theatre lets the body go on; never, if the world it runs in is gone. */
  wait(ctx: OpCtx): Promise<void>;
  /** Another one in every life of the run. */
  readonly mood: number;
}

export interface OpOutput {
  readonly v: number;
  readonly list: readonly number[];
  readonly maybe: number | null;
  readonly rows: readonly Row[];
}

export interface Manner {
  /** Of ten inputs, so many fail. */
  readonly fails: number;
  /** So many attempts fail with a transient error first. */
  readonly transient: number;
  /** Waits, for bodies that wait. */
  readonly waits: number;
  /** The output has no key `list`. */
  readonly lacks: boolean;
}

export type Body = (input: never, ctx: OpCtx) => unknown;

export function inlineBody(theatre: Theatre, manner: Manner): Body {
  return (input, ctx) => {
    theatre.enter(ctx);
    const given = theatre.instead(ctx.path);
    if (given !== undefined) return given.value;
    failMaybe(manner, input, ctx);
    return outputOf(manner, input, ctx);
  };
}

export function asyncBody(theatre: Theatre, manner: Manner): Body {
  return async (input, ctx) => {
    theatre.enter(ctx);
    for (let i = 0; i < manner.waits; i++) await theatre.wait(ctx);
    const given = theatre.instead(ctx.path);
    if (given !== undefined) return given.value;
    failMaybe(manner, input, ctx);
    return outputOf(manner, input, ctx);
  };
}

export function generatorBody(theatre: Theatre, manner: Manner): Body {
  return function* (input, ctx) {
    theatre.enter(ctx);
    const given = theatre.instead(ctx.path);
    if (given !== undefined) return yield* streamGiven(given.value);
    for (const item of itemsOf(manner, input, ctx)) yield item();
    return outputOf(manner, { input, end: true }, ctx);
  };
}

export function asyncGeneratorBody(theatre: Theatre, manner: Manner): Body {
  return async function* (input, ctx) {
    theatre.enter(ctx);
    const given = theatre.instead(ctx.path);
    if (given !== undefined) return yield* streamGiven(given.value);
    for (const item of itemsOf(manner, input, ctx)) {
      for (let i = 0; i < manner.waits; i++) await theatre.wait(ctx);
      yield item();
    }
    return outputOf(manner, { input, end: true }, ctx);
  };
}

/** Breaks off after some items at first. */
export function ephemeralBody(theatre: Theatre, manner: Manner & { readonly breaksAt: number }, inline: boolean): Body {
  const items = (input: unknown, ctx: OpCtx): (() => OpOutput)[] => {
    const all = itemsOf({ ...manner, transient: 0 }, input, ctx);
    return ctx.attempt <= manner.transient ? [...all.slice(0, manner.breaksAt), () => throwTransient(ctx)] : all;
  };
  if (inline)
    return function* (input, ctx) {
      theatre.enter(ctx);
      for (const item of items(input, ctx)) yield item();
      return outputOf(manner, { input, end: true }, ctx);
    };
  return async function* (input, ctx) {
    theatre.enter(ctx);
    for (const item of items(input, ctx)) {
      await theatre.wait(ctx);
      yield item();
    }
    return outputOf(manner, { input, end: true }, ctx);
  };
}

function* streamGiven(value: unknown): Generator<unknown, unknown> {
  const { items, final } = value as { readonly items: readonly unknown[]; readonly final: unknown };
  yield* items;
  return final;
}

/** The last one throws instead, if this stream is to fail. */
function itemsOf(manner: Manner, input: unknown, ctx: OpCtx): (() => OpOutput)[] {
  if (ctx.attempt <= manner.transient) return [() => throwTransient(ctx)];
  const hash = hashOf(ctx.node, input);
  const items = Array.from({ length: hash % 5 }, (_, i) => () => outputOf(manner, { input, i }, ctx));
  const all = isFailing(manner, hash) ? [...items, () => throwFinal(ctx, hash)] : items;
  return all.slice(ctx.resumeFrom?.count ?? 0);
}

function failMaybe(manner: Manner, input: unknown, ctx: OpCtx): void {
  if (ctx.attempt <= manner.transient) throwTransient(ctx);
  const hash = hashOf(ctx.node, input);
  if (isFailing(manner, hash)) throwFinal(ctx, hash);
}

function isFailing(manner: Manner, hash: number): boolean {
  return Math.floor(hash / 7) % 10 < manner.fails;
}

function throwTransient(ctx: OpCtx): never {
  throw Object.assign(new Error(`${ctx.node} was busy at attempt ${ctx.attempt}`), { retryable: true });
}

function throwFinal(ctx: OpCtx, hash: number): never {
  throw Object.assign(new Error(`${ctx.node} cannot do ${hash % 1000}`), {
    code: "Refused",
    data: { hash: hash % 1000 },
  });
}

function outputOf(manner: Manner, input: unknown, ctx: OpCtx): OpOutput {
  const hash = hashOf(ctx.node, input);
  const list = Array.from({ length: hash % 4 }, (_, i) => (hash >>> i) % 100);
  const rows = Array.from({ length: (hash >>> 3) % 3 }, (_, i) => ({
    v: (hash >>> (i + 2)) % 100,
    list: list.slice(i),
  }));
  const output: OpOutput = { v: hash % 100, list, maybe: hash % 3 === 0 ? null : hash % 50, rows };
  if (!manner.lacks) return output;
  const { list: _list, ...rest } = output;
  return rest as OpOutput;
}

/** FNV-1a of what the body can see. */
export function hashOf(node: string, input: unknown): number {
  let hash = 0x811c9dc5;
  const text = node + JSON.stringify(input);
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return (hash ^ (hash >>> 15)) >>> 1;
}
