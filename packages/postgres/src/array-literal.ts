/** Arrays as parameters, in the text that the server reads; `pg`'s own are several times slower, and quote numbers. */

type Numbers = readonly (number | boolean | null)[];

export function numbers(values: Numbers): string {
  // join() writes nothing for null.
  return `{${values.map((value) => value ?? "NULL").join(",")}}`;
}

export function texts(values: readonly (string | null)[]): string {
  return `{${values.map((value) => (value === null ? "NULL" : quoted(value))).join(",")}}`;
}

export function byteas(values: readonly Uint8Array[]): string {
  return `{${values.map((bytes) => `"\\\\x${bufferOf(bytes).toString("hex")}"`).join(",")}}`;
}

/** The same memory, as `pg` takes it. */
export function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function quoted(text: string): string {
  return `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}
