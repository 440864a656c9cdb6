/** Live ports: streams that come into a run and go out of it while it goes on. */
import { buildError } from "../base/error.ts";
import type { OpSpec } from "../model/op-spec.ts";
import type { NeedItem, Ref, RefOf, ScopeIn } from "../model/ref.ts";
import type { Item, Scope } from "../model/scope.ts";
import type { InferOutput, StandardSchemaV1 } from "../model/standard-schema.ts";
import { frameFor, RUN_SCOPE } from "./builder.ts";
import { callOp } from "./call.ts";
import { checkName } from "./names.ts";
import { checkKeys } from "./options.ts";
import { emit } from "./outside.ts";
import { mergePolicies } from "./policies.ts";
import { isSchema } from "./shape.ts";

/**
 * A live input of the run: a stream of what `handle.send(name, item)` sends, until `handle.end(name)`. Its items are
 * journaled for audit, but a run that had one open when its process ended cannot be resumed (`NotResumable`).
 *
 * ```ts
 * const said = ingress("microphone", { item: z.object({ text: z.string() }) });
 * ```
 */
export function ingress<X extends StandardSchemaV1>(
  name: string,
  options: { readonly item: X },
): Ref<InferOutput<X>, Item>;
export function ingress<T>(name: string, options?: { readonly item?: undefined }): Ref<T, Item>;
export function ingress(name: string, options: { readonly item?: StandardSchemaV1 | undefined } = {}): unknown {
  const frame = frameFor("ingress()");
  checkName("a live input", name);
  const where = `ingress ${name}`;
  checkKeys(where, options, ["item"]);
  if (options.item !== undefined && !isSchema(options.item))
    throw buildError(`item of ${where} is not a schema`, "give a Standard Schema, such as z.object({ … })");
  if (frame.scope !== RUN_SCOPE)
    throw buildError(`${where} is made per item or in a block`, "a run has one live input of a name: make it outside");
  const spec: OpSpec = Object.freeze({
    name,
    kind: "asyncGenerator",
    run: notABody,
    input: null,
    output: null,
    effect: "idempotent",
    version: "",
    onResume: "fail",
    transient: false,
    bound: null,
    live: { item: options.item ?? null },
    policies: Object.freeze({}),
    needs: null,
    context: null,
  });
  return callOp({ type: "op", name, spec, policies: mergePolicies(where, {}, {}), plan: null }, undefined);
}

function notABody(): never {
  throw new Error("a live input has no body");
}

/**
 * A live output of the run: `handle.receive(name)` gives its items as they come; with `ordered: true` in the order in which
 * the items of their stream were made.
 */
export function egress<T, S extends Scope>(
  name: string,
  item: RefOf<T, S> & NeedItem<RefOf<T, S>>,
  options: { readonly ordered?: boolean } = {},
): Ref<undefined, ScopeIn<RefOf<T, S>>> {
  checkKeys(`egress ${name}`, options, ["ordered"]);
  return emit(name, item, options as object);
}
