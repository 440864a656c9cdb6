import { errorOf } from "../base/error.ts";

/**
 * A secret by its name: data, which may stand in inputs, outputs, answers, cells and caller contexts and is journaled as
 * the name. `ctx.secret(ref)` gives what the engine's `secrets` hold under it, asked anew each time: after a crash, and
 * after the secret was replaced.
 */
export interface SecretRef {
  readonly name: string;
}

const named = /^[\x21-\x7e]{1,256}$/;

class Reference implements SecretRef {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
    Object.freeze(this);
  }
}
Object.freeze(Reference.prototype);

export const secretRefPrototype: object = Reference.prototype;

/**
 * @param name 1 to 256 visible ASCII characters, as the engine's `secrets` know it: `OPENAI_API_KEY`, `vault/app#token`.
 * @throws MillraceError `InvalidOption`
 */
export function secretRef(name: string): SecretRef {
  if (!isSecretName(name))
    throw errorOf("InvalidOption.secretName", { name: JSON.stringify(name)?.slice(0, 80) ?? typeof name });
  return new Reference(name);
}

export function isSecretName(name: unknown): name is string {
  return typeof name === "string" && named.test(name);
}

/** For schemas: `z.custom<SecretRef>(isSecretRef)`. What merely looks like one, as JSON from outside may, is none. */
export function isSecretRef(value: unknown): value is SecretRef {
  return value instanceof Reference;
}
