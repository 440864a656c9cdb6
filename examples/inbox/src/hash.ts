/**
 * 32-bit FNV-1a over the UTF-16 code units of `text`, finished with the murmur3 mixer so that the low bits are usable
 * on their own. Stable across platforms and releases: the train/test split and the feature buckets depend on it.
 */
export function hash32(text: string): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}
