/** An array with holes wherever no entry says otherwise. */
export function sparse(length: number, ...entries: [number, unknown][]): unknown[] {
  const array: unknown[] = [];
  array.length = length;
  for (const [index, value] of entries) array[index] = value;
  return array;
}
