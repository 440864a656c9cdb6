// SHA-256 in plain JavaScript (FIPS 180-4): hashes of values are needed synchronously inside a step, and in a browser
// tab, where neither node:crypto nor the asynchronous WebCrypto will do.

const ROUND_CONSTANTS: Uint32Array = firstPrimes(64, 1 / 3);
const INITIAL_STATE: Uint32Array = firstPrimes(8, 1 / 2);
/** Scratch space of one call, which never overlaps another. */
const SCHEDULE: Int32Array = new Int32Array(64);
const BLOCK_BYTES = 64;
/** Bytes at the end of the last block that hold the length of the message in bits. */
const LENGTH_BYTES = 8;

/** Lower-case hexadecimal SHA-256 of the bytes, or of the UTF-8 form of a string. */
export function sha256Hex(data: string | Uint8Array): string {
  const bytes = typeof data === "string" ? new TextEncoder().encode(data) : data;
  const state = INITIAL_STATE.slice();
  const whole = bytes.length - (bytes.length % BLOCK_BYTES);
  for (let at = 0; at < whole; at += BLOCK_BYTES) compress(state, bytes, at);
  const tail = paddedTail(bytes, whole);
  for (let at = 0; at < tail.length; at += BLOCK_BYTES) compress(state, tail, at);
  let hex = "";
  for (const word of state) hex += word.toString(16).padStart(8, "0");
  return hex;
}

/** What is left after the whole blocks, the terminating bit, zeros, and the length. */
function paddedTail(bytes: Uint8Array, from: number): Uint8Array {
  const rest = bytes.length - from;
  const tail = new Uint8Array(rest + 1 + LENGTH_BYTES > BLOCK_BYTES ? 2 * BLOCK_BYTES : BLOCK_BYTES);
  tail.set(bytes.subarray(from));
  tail[rest] = 0x80;
  const view = new DataView(tail.buffer);
  view.setUint32(tail.length - 8, Math.floor(bytes.length / 0x2000_0000));
  view.setUint32(tail.length - 4, (bytes.length << 3) >>> 0);
  return tail;
}

function compress(state: Uint32Array, bytes: Uint8Array, at: number): void {
  const w = SCHEDULE;
  expand(w, bytes, at);
  let a = state[0]! | 0;
  let b = state[1]! | 0;
  let c = state[2]! | 0;
  let d = state[3]! | 0;
  let e = state[4]! | 0;
  let f = state[5]! | 0;
  let g = state[6]! | 0;
  let h = state[7]! | 0;
  for (let i = 0; i < 64; i++) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + ROUND_CONSTANTS[i]! + w[i]!) | 0;
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + t2) | 0;
  }
  // Storing into a Uint32Array reduces modulo 2^32.
  state[0]! += a;
  state[1]! += b;
  state[2]! += c;
  state[3]! += d;
  state[4]! += e;
  state[5]! += f;
  state[6]! += g;
  state[7]! += h;
}

function expand(w: Int32Array, bytes: Uint8Array, at: number): void {
  for (let i = 0, j = at; i < 16; i++, j += 4) {
    w[i] = (bytes[j]! << 24) | (bytes[j + 1]! << 16) | (bytes[j + 2]! << 8) | bytes[j + 3]!;
  }
  for (let i = 16; i < 64; i++) {
    const x = w[i - 15]!;
    const y = w[i - 2]!;
    const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
    const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
    w[i] = w[i - 16]! + s0 + w[i - 7]! + s1;
  }
}

/** First 32 bits of the fractional parts of the given root of the first primes: how the standard defines its constants. */
function firstPrimes(count: number, root: number): Uint32Array {
  const words = new Uint32Array(count);
  for (let candidate = 2, found = 0; found < count; candidate++) {
    if (!isPrime(candidate)) continue;
    const value = candidate ** root;
    words[found++] = Math.floor((value - Math.floor(value)) * 2 ** 32);
  }
  return words;
}

function isPrime(n: number): boolean {
  for (let divisor = 2; divisor * divisor <= n; divisor++) if (n % divisor === 0) return false;
  return true;
}
