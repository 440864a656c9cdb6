import { buildError } from "../base/error.ts";
import type { Binding, Needs, Resource } from "../model/resource.ts";
import { checkName } from "./names.ts";

/**
 * A typed name for something that ops need and engines are given: a model, a database, an HTTP client. It holds nothing;
 * `openEngine({ resources: [provide(Chat, …)] })` says what it stands for. Two tokens of one name are one resource.
 *
 * ```ts
 * const Chat = resource<Model>("chat");
 * const summarise = op("summarise", { needs: { model: Chat } },
 *   async ({ text }: { text: string }, ctx) => ({ text: await ctx.resources.model.generate(text) }));
 * ```
 */
export function resource<T>(name: string): Resource<T> {
  checkName("a resource", name);
  const to = (other: Resource<T>): Binding => {
    if (!isResource(other))
      throw buildError(
        `${name} is bound to something that is not a resource`,
        "bind one token to another: Chat.to(Big)",
      );
    return Object.freeze({ from: name, to: other.name });
  };
  // The token carries its type in the declarations only.
  return Object.freeze({ name, to }) as unknown as Resource<T>;
}

export function isResource(token: unknown): token is Resource<unknown> {
  if (typeof token !== "object" || token === null) return false;
  const { name, to } = token as { readonly name?: unknown; readonly to?: unknown };
  return typeof name === "string" && typeof to === "function";
}

/** Checks what an op says it needs: the token of each key. Null: nothing. */
export function needsOf(where: string, needs: unknown): Needs | null {
  if (needs === undefined) return null;
  if (typeof needs !== "object" || needs === null || Array.isArray(needs))
    throw buildError(`needs of ${where} is not a record`, "write needs: { key: Token }");
  for (const [key, token] of Object.entries(needs)) {
    if (!isResource(token))
      throw buildError(
        `needs.${key} of ${where} is not a resource`,
        'give a token: const Chat = resource<Model>("chat")',
      );
  }
  return Object.keys(needs).length === 0 ? null : Object.freeze({ ...(needs as Needs) });
}
