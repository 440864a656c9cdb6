import { InvalidArgumentError } from "commander";

/**
 * A namespace as people type it: `users/ann`, or where a part holds a slash, a list as JSON: `["a/b","c"]`. What parts may be is
 * the store's to say.
 */
export function parseNamespace(text: string): string[] {
  if (!text.startsWith("[")) return text === "" ? [] : text.split("/");
  try {
    const list = JSON.parse(text) as unknown;
    if (Array.isArray(list) && list.every((part) => typeof part === "string")) return list;
  } catch {
    // Said below.
  }
  throw new InvalidArgumentError(`${JSON.stringify(text)} is no list of texts; write users/ann or '["users","ann"]'.`);
}

/** The same the other way round. */
export function namespaceText(namespace: readonly string[]): string {
  const text = namespace.join("/");
  const isPlain = !text.startsWith("[") && !/[\p{C}\s]/u.test(text) && namespace.every((part) => !part.includes("/"));
  return isPlain ? text : JSON.stringify(namespace);
}
