/** An empty view of a transferred buffer would be bound as NULL by Node 22. */
const noBytes: Uint8Array = new Uint8Array(0);

export function view(bytes: Uint8Array, from: number, byteLength: number): Uint8Array {
  return byteLength === 0 ? noBytes : bytes.subarray(from, from + byteLength);
}
