/**
 * Errors as they are written once, in Markdown: `# area`, `## Code`, and inside `### Reason` for codes that have some.
 * Under each come its messages as quotes, what causes it, and `**Fix:**`.
 *
 * ```md
 * ## RunDrained
 *
 * > run {runId} was drained before it ended
 *
 * > **stale:** run {runId} was drained, and this handle is no longer of a live run
 * > hint: engine.resume(runId) continues it
 *
 * It was drained before it ended.
 *
 * **Fix:** `engine.resume(id)` continues it.
 * ```
 *
 * A message tells the fix as its hint, unless it says another one or `no hint`. `{name}` is a value of the call site.
 */

export interface Message {
  /** `RunDrained`, `RunDrained.stale`. */
  readonly name: string;
  readonly text: string;
  readonly hint: string | undefined;
}

export interface Entry {
  readonly code: string;
  readonly messages: readonly Message[];
  readonly cause: string;
  /** Markdown; undefined: there is nothing to do about it. */
  readonly fix: string | undefined;
  readonly reasons: readonly Entry[];
}

export interface Area {
  readonly title: string;
  readonly entries: readonly Entry[];
}

/** @throws Error that names file and code of the first mistake. */
export function parseArea(file: string, markdown: string): Area {
  const title = /^# (.+)\n/.exec(markdown)?.[1];
  if (title === undefined) throw new Error(`${file} does not begin with "# area"`);
  const [lead = "", ...sections] = markdown.slice(title.length + 3).split(/^## /m);
  if (lead.trim() !== "") throw new Error(`${file} has text before its first code`);
  return { title, entries: sections.map((section) => parseEntry(file, section)) };
}

function parseEntry(file: string, section: string): Entry {
  const [own = "", ...reasons] = section.split(/^### /m);
  const [heading = "", ...blocks] = own.split(/\n\n+/);
  const code = heading.trim();
  const where = `${file}: ${code}`;
  if (!/^[A-Z][A-Za-z]+$/.test(code)) throw new Error(`${where} is no code: CamelCase letters`);
  const texts = blocks.map((block) => block.trim()).filter((block) => block !== "");
  const fix = texts.find((text) => text.startsWith(FIX))?.slice(FIX.length);
  const cause = texts.filter((text) => !text.startsWith(">") && !text.startsWith(FIX)).join("\n\n");
  if (cause === "") throw new Error(`${where} does not say what causes it`);
  return {
    code,
    messages: texts.filter((text) => text.startsWith(">")).map((quote) => parseMessage(where, code, quote, fix)),
    cause,
    fix,
    reasons: reasons.map((reason) => parseEntry(file, reason)),
  };
}

const FIX = "**Fix:** ";

function parseMessage(where: string, code: string, quote: string, fix: string | undefined): Message {
  const [first = "", second] = quote.split("\n").map((line) => line.replace(/^> ?/, ""));
  const [, variant, text = ""] = /^(?:\*\*([a-z][A-Za-z]*):\*\* )?(.*)$/.exec(first) ?? [];
  const name = variant === undefined ? code : `${code}.${variant}`;
  const odd = text.replaceAll(PLACEHOLDER, "").match(/\{\w*\}/)?.[0];
  if (text === "" || odd !== undefined) throw new Error(`${where} has a message with no text or the odd ${odd}`);
  return { name, text, hint: hintOf(`${where} (${name})`, second, fix) };
}

function hintOf(where: string, line: string | undefined, fix: string | undefined): string | undefined {
  if (line === "no hint") return undefined;
  if (line === undefined) {
    if (fix === undefined) throw new Error(`${where} has neither a hint nor a fix: say "no hint"`);
    return fix.replace(/\.$/, "");
  }
  if (!line.startsWith("hint: ")) throw new Error(`${where}: "${line}" is neither "hint: …" nor "no hint"`);
  return line.slice("hint: ".length);
}

const PLACEHOLDER = /\{([a-z][A-Za-z]*)\}/g;

/** Names of the values of a message, in the order they come. */
export function valuesOf({ text, hint = "" }: Message): string[] {
  return [...new Set([...`${text} ${hint}`.matchAll(PLACEHOLDER)].map(([, name]) => name as string))];
}

/** @throws Error for a code or message that is there twice: a code means one thing, and so does its anchor. */
export function refuseDuplicates(areas: readonly Area[]): void {
  const seen = new Set<string>();
  const take = (what: string): void => {
    if (seen.has(what)) throw new Error(`${what} is there twice`);
    seen.add(what);
  };
  for (const { entries } of areas) {
    for (const entry of entries.flatMap((each) => [each, ...each.reasons])) {
      take(entry.code);
      for (const { name } of entry.messages) take(`message ${name}`);
    }
  }
}
