/**
 * A version 7 UUID (RFC 9562 §5.7): 48 bits of Unix milliseconds, then 74 random bits, so that ids sort by time across
 * processes. Pure: `random` gives numbers in [0, 1) and is called four times. Within one millisecond the order is random.
 */
export function uuidv7(nowMs: number, random: () => number): string {
  const version = 0x7000 | (random() * 0x1000);
  const variant = 0x8000 | (random() * 0x4000);
  const time = timePrefix(nowMs);
  // One flat string: concatenation would leave a tree of parts behind every id.
  return [time, hex4(version), "-", hex4(variant), "-", hex4(random() * 0x10000), hex8(random() * 0x1_0000_0000)].join(
    "",
  );
}

let lastMs = -1;
let lastPrefix = "";

/** Many ids are made in one millisecond. */
function timePrefix(nowMs: number): string {
  if (nowMs !== lastMs) {
    const time = Math.floor(nowMs).toString(16).padStart(12, "0");
    lastPrefix = `${time.slice(0, 8)}-${time.slice(8)}-`;
    lastMs = nowMs;
  }
  return lastPrefix;
}

const bytes = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

function hex4(value: number): string {
  return `${bytes[(value >>> 8) & 255]}${bytes[value & 255]}`;
}

function hex8(value: number): string {
  return hex4(value >>> 16) + hex4(value & 0xffff);
}
