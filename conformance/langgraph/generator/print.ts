const width = 116;

/** JSON that people can read: what fits a line stands on one. */
export function print(value: unknown, indent = ""): string {
  const line = flat(value);
  if (indent.length + line.length <= width || typeof value !== "object" || value === null) return line;
  const inner = `${indent}  `;
  const entries = Array.isArray(value)
    ? value.map((element) => print(element, inner))
    : Object.entries(value)
        .filter(([, part]) => part !== undefined)
        .map(([key, part]) => `${JSON.stringify(key)}: ${print(part, inner)}`);
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  return `${open}\n${entries.map((entry) => inner + entry).join(",\n")}\n${indent}${close}`;
}

function flat(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flat).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value ?? null);
  const entries = Object.entries(value).filter(([, part]) => part !== undefined);
  return entries.length === 0
    ? "{}"
    : `{ ${entries.map(([key, part]) => `${JSON.stringify(key)}: ${flat(part)}`).join(", ")} }`;
}
