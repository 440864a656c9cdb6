/** A figure of a wrong result is worth nothing: both sides must have done the same. */
export function expectSame(ours: unknown, floor: unknown): void {
  const [own, other] = [JSON.stringify(ours), JSON.stringify(floor)];
  if (own !== other) throw new Error(`ours gives ${own.slice(0, 200)}, and the floor ${other.slice(0, 200)}`);
}
