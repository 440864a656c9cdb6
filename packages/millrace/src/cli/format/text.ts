import { stripVTControlCharacters } from "node:util";

/** Text from elsewhere (error messages, names, file contents) on one line of a terminal: nothing in it moves the cursor. */
export function oneLine(text: string): string {
  return visible(text)
    .replaceAll(/\s*\n\s*/g, " ")
    .trim();
}

/** The same, keeping line breaks. */
export function visible(text: string): string {
  return (
    stripVTControlCharacters(text)
      .replaceAll(/\r\n?/g, "\n")
      .replaceAll("\t", "  ")
      // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
      .replaceAll(/[\u0000-\u0009\u000B-\u001F\u007F-\u009F]/g, "\uFFFD")
  );
}

export function indent(text: string, by: string): string {
  return text.replaceAll(/^(?=.)/gm, by);
}

/** The first lines of a long text, and how many were left out. */
export function head(text: string, lines: number): { text: string; left: number } {
  const all = text.split("\n");
  return { text: all.slice(0, lines).join("\n"), left: Math.max(0, all.length - lines) };
}

/** `a, b and c` */
export function list(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}
