/** One step from a value to a part of it: an object key, an array index, or a way in that is not a property. */
export type Segment = string | number | Access;

/** The value under a Map key, a Map key or Set item by position, or the data a registered class is encoded as. */
export interface Access {
  readonly kind: "get" | "key" | "item" | "data";
  readonly at: unknown;
}

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;
const LONGEST_KEY = 64;
/** A path longer than head and tail together is shown with its middle left out. */
const HEAD = 16;
const TAIL = 8;

/** As code would reach the part: `user.onClick`, `items[3].x`, `byId.get("k")`. The value itself is called `value`. */
export function showPath(path: readonly Segment[]): string {
  if (path.length === 0) return "value";
  if (path.length <= HEAD + TAIL) return join(path, true);
  return `${join(path.slice(0, HEAD), true)} … ${join(path.slice(-TAIL), false)}`;
}

function join(path: readonly Segment[], fromRoot: boolean): string {
  const text = path.map(showSegment).join("");
  if (!fromRoot) return text;
  if (typeof path[0] === "object") return `value${text}`;
  return text.startsWith(".") ? text.slice(1) : text;
}

function showSegment(segment: Segment): string {
  if (typeof segment === "number") return `[${segment}]`;
  if (typeof segment === "string") {
    return segment.length <= LONGEST_KEY && IDENTIFIER.test(segment) ? `.${segment}` : `[${quote(segment)}]`;
  }
  switch (segment.kind) {
    case "get":
      return `.get(${showKey(segment.at)})`;
    case "key":
      return `.keys()[${String(segment.at)}]`;
    case "item":
      return `.values()[${String(segment.at)}]`;
    case "data":
      return `(${String(segment.at)})`;
  }
}

function showKey(key: unknown): string {
  switch (typeof key) {
    case "string":
      return quote(key);
    case "number":
    case "bigint":
    case "boolean":
      return String(key);
    default:
      return key === null || key === undefined ? String(key) : "…";
  }
}

function quote(text: string): string {
  return JSON.stringify(text.length > LONGEST_KEY ? `${text.slice(0, LONGEST_KEY)}…` : text);
}
