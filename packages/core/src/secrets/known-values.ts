/**
 * The values of this process's secrets, and how they are found in texts. It is bounded: of more than a thousand, those
 * made or revealed last. Values that are too short would be found everywhere.
 */
const most = 1_000;
const shortest = 6;
/** Longer ones are no texts that anybody prints. */
const longestBytes = 16_384;

/** By value: the forms it takes in texts. */
const known = new Map<string, readonly string[]>();
let pattern: RegExp | null = null;
let longest = 0;

/** From now on the value is taken out of texts. */
export function learn(value: string | Uint8Array): void {
  if (value.length < shortest || value.length > longestBytes) return;
  const key = typeof value === "string" ? value : binaryOf(value);
  const forms = known.get(key);
  if (forms !== undefined) known.delete(key);
  else pattern = null;
  known.set(key, forms ?? formsOf(value));
  if (known.size > most) forget();
}

function forget(): void {
  const [oldest] = known.keys();
  known.delete(oldest as string);
  pattern = null;
}

/** The text with a mark where a known value stood, in any of its forms. */
export function withoutKnown(text: string, mark: string): string {
  return known.size === 0 ? text : text.replace(patternOf(), mark);
}

/** Characters that the longest form has; 0: nothing is known. */
export function longestKnown(): number {
  if (known.size === 0) return 0;
  patternOf();
  return longest;
}

function patternOf(): RegExp {
  if (pattern !== null) return pattern;
  // The longest first, so that of two values one of which begins like the other none is left in part.
  const forms = [...new Set([...known.values()].flat())].toSorted((a, b) => b.length - a.length);
  longest = forms[0]?.length ?? 0;
  return (pattern = new RegExp(forms.map(escaped).join("|"), "g"));
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}

function formsOf(value: string | Uint8Array): readonly string[] {
  const bytes = typeof value === "string" ? new TextEncoder().encode(value) : value;
  const forms = [...(typeof value === "string" ? textForms(value) : byteForms(value)), ...base64Forms(bytes)];
  return [...new Set(forms)].filter((form) => form.length >= shortest);
}

/** As it is, inside of JSON, and as the parts of a URL write it. */
function textForms(value: string): string[] {
  const json = JSON.stringify(value).slice(1, -1);
  if (!value.isWellFormed()) return [value, json];
  const url = new URL("http://host");
  url.password = value;
  const query = new URLSearchParams([["", value]]).toString().slice(1);
  return [value, json, encodeURIComponent(value), encodeURI(value), url.password, query];
}

function byteForms(bytes: Uint8Array): string[] {
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return [hex, hex.toUpperCase()];
}

/** What is certain of it inside of a longer base64 text, such as `user:password`, wherever in there it begins. */
function base64Forms(bytes: Uint8Array): string[] {
  if (bytes.length < 9) return [];
  return [0, 1, 2].flatMap((offset) => {
    const shifted = new Uint8Array(offset + bytes.length);
    shifted.set(bytes, offset);
    const certain = btoa(binaryOf(shifted)).slice(offset === 0 ? 0 : offset + 1, Math.floor((shifted.length * 8) / 6));
    return [certain, certain.replaceAll("+", "-").replaceAll("/", "_")];
  });
}

function binaryOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
}
