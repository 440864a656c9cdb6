import { errorOf } from "../base/error.ts";
import { isSecretRef, type SecretRef } from "../secrets/secret-ref.ts";
import { isSecret, secret, type Secret } from "../secrets/secret.ts";

type Given = string | Secret | null | undefined;

/** What an engine's secrets are: by their names, or what a function gives for a name; undefined: there is none. */
export type SecretSource = Readonly<Record<string, Given>> | ((name: string) => Given | Promise<Given>);

/** What references to secrets stand for in one engine. Nothing is kept: a secret that was replaced is found at once. */
export class Secrets {
  readonly #source: SecretSource;

  constructor(source: SecretSource = {}) {
    this.#source = source;
  }

  /** `ctx.secret` of that node. */
  async get(ref: SecretRef, node: string): Promise<Secret> {
    if (!isSecretRef(ref)) throw errorOf("InvalidValue.noSecretRef", { node });
    const { name } = ref;
    const given = await this.#look(name);
    if (given === null || given === undefined || given === "")
      throw errorOf("SecretMissing", { node, name, where: this.#where() });
    return isSecret(given) ? given : secret(given);
  }

  /** A name is data: it must not reach what every object inherits. */
  #look(name: string): Given | Promise<Given> {
    const source = this.#source;
    if (typeof source === "function") return source(name);
    return Object.hasOwn(source, name) ? source[name] : undefined;
  }

  #where(): string {
    if (typeof this.#source === "function") return "the engine's function of secrets does not have";
    const names = Object.keys(this.#source);
    return `is not among the engine's secrets: ${names.length === 0 ? "it has none" : names.join(", ")}`;
  }
}
