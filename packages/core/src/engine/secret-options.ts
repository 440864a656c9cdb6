/** The options of an engine that are about secrets. */
import type { RedactOptions } from "../secrets/redactor.ts";
import { isSecret } from "../secrets/secret.ts";
import { checkChoice, checkKeys, objectOf, shown, wrong } from "./option-checks.ts";

const example = "write secrets: { OPENAI_API_KEY: process.env.OPENAI_API_KEY }, or a function from names to values";

/** Values are told by their kind only. */
export function checkSecrets(secrets: unknown): void {
  if (secrets === undefined || typeof secrets === "function") return;
  for (const [name, value] of Object.entries(objectOf("secrets", secrets, example)))
    if (value !== undefined && typeof value !== "string" && !isSecret(value))
      throw wrong(
        `secret "${name}" must be a text or a secret(), not ${value === null ? "null" : typeof value}`,
        example,
      );
}

export function checkRedact(redact: RedactOptions): void {
  checkKeys("redact", redact, ["keys", "defaults"]);
  checkChoice("redact.defaults", redact.defaults?.toString(), ["true", "false"]);
  const keys: unknown = redact.keys ?? [];
  if (!Array.isArray(keys))
    throw wrong(`redact.keys must be a list, not ${shown(keys)}`, 'write keys: ["ssn", /iban/i]');
  for (const key of keys)
    if (typeof key !== "string" && !(key instanceof RegExp))
      throw wrong(`redact.keys holds ${shown(key)}; a key is a text or a pattern`, 'write keys: ["ssn", /iban/i]');
}
