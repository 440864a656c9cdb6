/**
 * The values of this process's secrets, and how they are found in texts. It is bounded: of more than a thousand, those
 * made or revealed last. Values that are too short would be found everywhere.
 */
const most = 1_000;
const shortest = 6;
/** Longer ones are no texts that anybody prints. */
const longestBytes = 16_384;

/** A pattern of many values takes long to compile, and a new value must not cost the compiling of all others. */
const perGroup = 50;

interface Group {
  /** By value: the forms it takes in texts. */
  readonly values: Map<string, readonly string[]>;
  /** Null: the values have changed. */
  pattern: RegExp | null;
  longest: number;
}

const groups: Group[] = [];
/** Where each value is, the one used last at the end. */
const known = new Map<string, Group>();

/** From now on the value is taken out of texts. */
export function learn(value: string | Uint8Array): void {
  if (value.length < shortest || value.length > longestBytes) return;
  const key = typeof value === "string" ? value : binaryOf(value);
  const group = known.get(key);
  if (group !== undefined) known.delete(key);
  known.set(key, group ?? newlyIn(key, formsOf(value)));
  if (known.size > most) forget();
}

function newlyIn(key: string, forms: readonly string[]): Group {
  let group = groups.find(({ values }) => values.size < perGroup);
  if (group === undefined) groups.push((group = { values: new Map(), pattern: null, longest: 0 }));
  group.values.set(key, forms);
  group.pattern = null;
  return group;
}

function forget(): void {
  const [[key, group]] = known as unknown as [[string, Group]];
  known.delete(key);
  group.values.delete(key);
  group.pattern = null;
}

/** The text with a mark where a known value stood, in any of its forms. */
export function withoutKnown(text: string, mark: string): string {
  if (known.size === 0) return text;
  const spans = groups.flatMap((group) => spansIn(text, group));
  if (spans.length === 0) return text;
  let shown = "";
  let end = 0;
  // Values of two groups may overlap: what any of them covers goes, and leaves one mark.
  for (const [from, to] of spans.toSorted((a, b) => a[0] - b[0])) {
    if (from >= end) shown += text.slice(end, from) + mark;
    end = Math.max(end, to);
  }
  return shown + text.slice(end);
}

function spansIn(text: string, group: Group): (readonly [from: number, to: number])[] {
  if (group.values.size === 0) return [];
  const pattern = patternOf(group);
  const spans: (readonly [number, number])[] = [];
  for (const { 0: match, index } of text.matchAll(pattern)) spans.push([index, index + match.length]);
  return spans;
}

/** Characters that the longest form has; 0: nothing is known. */
export function longestKnown(): number {
  if (known.size === 0) return 0;
  for (const group of groups) patternOf(group);
  return Math.max(...groups.map(({ longest }) => longest));
}

function patternOf(group: Group): RegExp {
  if (group.pattern !== null) return group.pattern;
  // The longest first, so that of two values one of which begins like the other none is left in part.
  const forms = [...new Set([...group.values.values()].flat())].toSorted((a, b) => b.length - a.length);
  group.longest = forms[0]?.length ?? 0;
  return (group.pattern = new RegExp(forms.map(escaped).join("|"), "g"));
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
