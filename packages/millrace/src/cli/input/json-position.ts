/**
 * Where JSON text stops being JSON. `JSON.parse` names the position only sometimes and never for short texts, so the
 * text is scanned once more when it has already failed. Grammar: RFC 8259.
 */
export interface JsonMistake {
  /** Offset of the first character that cannot stand where it stands; the length when something is missing. */
  readonly offset: number;
  readonly line: number;
  readonly column: number;
}

const string = String.raw`"[^"\\\u0000-\u001F]*(?:\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4})[^"\\\u0000-\u001F]*)*"`;
const number = String.raw`-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])`;
const space = /[ \t\r\n]*/y;
const key = new RegExp(string, "y");
const scalar = new RegExp(`${string}|${number}|(?:true|false|null)(?!\\w)`, "y");

/** What may stand next; the ones that end in `OrEnd` allow the closing bracket too. */
type Expect = "value" | "valueOrEnd" | "key" | "keyOrEnd" | "colon" | "commaOrEnd" | "end";

interface Step {
  readonly at: number;
  readonly expect: Expect;
}

export function findJsonMistake(text: string): JsonMistake {
  const offset = scan(text);
  const before = text.slice(0, offset).split("\n");
  return { offset, line: before.length, column: before.at(-1)!.length + 1 };
}

function scan(text: string): number {
  const open: string[] = [];
  let step: Step | undefined = { at: 0, expect: "value" };
  for (;;) {
    const at: number = skip(space, text, step.at);
    if (at >= text.length) return text.length;
    step = advance(text, at, step.expect, open);
    if (step === undefined) return at;
  }
}

/** Past one token, or undefined when it cannot stand here. `open` holds the brackets around it. */
function advance(text: string, at: number, expect: Expect, open: string[]): Step | undefined {
  const char = text[at]!;
  if (expect.endsWith("OrEnd") && char === closing(open.at(-1))) {
    open.pop();
    return { at: at + 1, expect: afterValue(open) };
  }
  if (expect.startsWith("value")) return value(text, at, open);
  if (expect.startsWith("key")) return token(at, skip(key, text, at), "colon");
  if (expect === "colon") return token(at, char === ":" ? at + 1 : at, "value");
  if (expect === "commaOrEnd") return token(at, char === "," ? at + 1 : at, open.at(-1) === "{" ? "key" : "value");
  return undefined;
}

function value(text: string, at: number, open: string[]): Step | undefined {
  const char = text[at]!;
  if (char !== "{" && char !== "[") return token(at, skip(scalar, text, at), afterValue(open));
  open.push(char);
  return { at: at + 1, expect: char === "{" ? "keyOrEnd" : "valueOrEnd" };
}

function token(from: number, to: number, expect: Expect): Step | undefined {
  return to > from ? { at: to, expect } : undefined;
}

function afterValue(open: readonly string[]): Expect {
  return open.length === 0 ? "end" : "commaOrEnd";
}

function closing(bracket: string | undefined): string | undefined {
  return bracket === "{" ? "}" : bracket === "[" ? "]" : undefined;
}

function skip(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}
