/**
 * How stored bytes begin that were encrypted: with a byte that begins no text in UTF-8, which everything is that is stored
 * in plain. The last one is the version of the form.
 */
export const sealedMagic: Uint8Array = new Uint8Array([0xff, 0x4d, 0x52, 1]);

export function isSealed(bytes: Uint8Array): boolean {
  return bytes[0] === sealedMagic[0];
}
