/** Whether two values hold the same, whatever the order of their keys; a key without a value is as one that is not there. */
export function isSameData(
  left: unknown,
  right: unknown,
  otherwise: (left: unknown, right: unknown) => boolean,
): boolean {
  if (Object.is(left, right)) return true;
  if (!isObject(left) || !isObject(right)) return false;
  if (Array.isArray(left) && Array.isArray(right))
    return left.length === right.length && left.every((value, at) => isSameData(value, right[at], otherwise));
  if (!isRecord(left) || !isRecord(right)) return otherwise(left, right);
  const keys = new Set([...Object.keys(left), ...Object.keys(right)]);
  return [...keys].every((key) => isSameData(ownOf(left, key), ownOf(right, key), otherwise));
}

function ownOf(record: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function isRecord(value: object): value is Readonly<Record<string, unknown>> {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
