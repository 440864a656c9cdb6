import { buildError } from "../base/error.ts";
import type { CallerContext } from "../model/caller-context.ts";
import type { InferOutput, StandardSchemaV1 } from "../model/standard-schema.ts";
import type { Builder } from "./builder.ts";
import { checkName } from "./names.ts";
import { isSchema } from "./shape.ts";

/**
 * Something that callers tell a whole run and that every op of it may ask for: the user, the tenant, the locale. An op
 * that says `context: Caller` gets it as `ctx.context`, as the schema gives it out, in every attempt and after a crash.
 *
 * ```ts
 * const Caller = callerContext("caller", z.object({ user: z.string() }));
 * const greet = op("greet", { context: Caller }, (_input: object, ctx) => ({ text: `Hello ${ctx.context.user}` }));
 * await engine.run(greet, {}, { context: { user: "ada" } });
 * ```
 *
 * A run has one `context` value; each caller context of its graph is that value through its own schema.
 */
export function callerContext<X extends StandardSchemaV1>(name: string, schema: X): CallerContext<InferOutput<X>> {
  checkName("a caller context", name);
  if (!isSchema(schema))
    throw buildError(
      `caller context ${name} has no schema`,
      "give a Standard Schema, such as z.object({ … })",
      "NotASchema",
    );
  // The token carries its type in the declarations only.
  return Object.freeze({ name, schema }) as unknown as CallerContext<InferOutput<X>>;
}

/** Checks the `context` of an op. Null: it asks for none. */
export function contextOf(where: string, context: unknown): CallerContext<unknown> | null {
  if (context === undefined) return null;
  const { name, schema } = (typeof context === "object" && context !== null ? context : {}) as Record<string, unknown>;
  if (typeof name === "string" && isSchema(schema)) return context as CallerContext<unknown>;
  throw buildError(
    `context of ${where} is not a caller context`,
    'write context: Caller, with const Caller = callerContext("caller", schema)',
  );
}

/** What the caller must tell a run of the graph, each once. */
export function contextsOf({ slots, graph }: Builder): CallerContext<unknown>[] {
  const contexts = new Map<string, CallerContext<unknown>>();
  for (const { op } of slots) {
    const context = op?.context ?? null;
    if (context === null) continue;
    const known = contexts.get(context.name);
    if (known !== undefined && known.schema !== context.schema)
      throw buildError(
        `graph ${graph} has two caller contexts named "${context.name}"`,
        "share one callerContext, or give each a name of its own",
        "DuplicateName",
      );
    contexts.set(context.name, context);
  }
  return [...contexts.values()];
}
