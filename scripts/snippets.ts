/** Reads the programs out of a Markdown page. */

export interface Snippet {
  /** Line of the opening fence, from 1. */
  readonly line: number;
  readonly code: string;
  readonly file: string | undefined;
  readonly run: boolean;
  /** Standard output the page promises, when it does. */
  readonly expected: string | undefined;
}

interface Block {
  readonly info: string;
  readonly line: number;
  readonly text: string;
  /** Offset just after the closing fence. */
  readonly start: number;
  readonly end: number;
}

export function findSnippets(markdown: string): Snippet[] {
  const blocks = findBlocks(markdown);
  return blocks.flatMap((block, index): Snippet[] => {
    const [language, ...flags] = block.info.split(/\s+/);
    if (language !== "ts") return [];
    const next = blocks[index + 1];
    const isAnswered = next?.info === "text" && markdown.slice(block.end, next.start).trim() === "";
    return [
      {
        line: block.line,
        code: block.text,
        file: flags.find((flag) => flag.startsWith("file="))?.slice("file=".length),
        run: !flags.includes("no-run"),
        expected: isAnswered ? next.text : undefined,
      },
    ];
  });
}

function findBlocks(markdown: string): Block[] {
  return Array.from(markdown.matchAll(/^```(.*)\n([^]*?)^```$/gm), (match) => ({
    info: match[1]!.trim(),
    text: match[2]!,
    line: markdown.slice(0, match.index).split("\n").length,
    start: match.index,
    end: match.index + match[0].length,
  }));
}

/** Equal but for surrounding space; `…` in the page stands for any text within its line. */
export function matchesOutput(actual: string, expected: string): boolean {
  const pattern = expected
    .trim()
    .split("…")
    .map((part) => RegExp.escape(part))
    .join(".*");
  return new RegExp(`^${pattern}$`).test(actual.trim());
}
