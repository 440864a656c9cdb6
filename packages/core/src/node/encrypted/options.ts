import { errorOf } from "../../base/error.ts";

const known = ["keys", "allowPlain"];

export function checkEncryptedOptions(options: unknown): void {
  const given = Object(options) as { readonly allowPlain?: unknown };
  const odd = Object.keys(given).find((key) => !known.includes(key));
  if (odd !== undefined) throw errorOf("InvalidOption.keys", { problem: `there is no option "${odd}"` });
  if (given.allowPlain !== undefined && typeof given.allowPlain !== "boolean")
    throw errorOf("InvalidOption.keys", { problem: "allowPlain is true or false" });
}
