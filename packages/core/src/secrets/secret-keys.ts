/** Which keys of objects, headers and query parameters name something secret. */

/** As the last word of a key: `dbPassword`, `x-auth-token`, `set-cookie`; not `maxTokens`, `tokenCount`, `secretary`. */
const lastWords: ReadonlySet<string> = new Set([
  "authorization",
  "passwords",
  "passwd",
  "passphrase",
  "pwd",
  "secret",
  "secrets",
  "token",
  "cookie",
  "cookies",
  "credential",
  "credentials",
  "apikey",
  "apikeys",
]);
/** As the word before a last word `key` or `keys`: `OPENAI_API_KEY`, `privateKey`. */
const kindsOfKey: ReadonlySet<string> = new Set(["api", "private", "secret", "access", "signing", "encryption"]);
const longestKey = 256;

export function isSecretKey(key: string): boolean {
  if (key.length > longestKey) return false;
  const words = wordsOf(key);
  const last = words.at(-1) ?? "";
  // Run together, as in `PGPASSWORD`.
  if (last.endsWith("password")) return true;
  return lastWords.has(last) || ((last === "key" || last === "keys") && kindsOfKey.has(words.at(-2) ?? ""));
}

function wordsOf(key: string): string[] {
  return key
    .replaceAll(/([a-z0-9])([A-Z])|([A-Z])([A-Z][a-z])/g, "$1$3 $2$4")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "");
}
