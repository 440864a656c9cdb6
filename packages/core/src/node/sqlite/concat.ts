/** The parts end to end, in memory of their own. */
export function concat(parts: readonly Uint8Array[], byteLength: number): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(byteLength);
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.byteLength;
  }
  return whole;
}
