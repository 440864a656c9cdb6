/** `--input <json | @file | ->`: the run's input as a value. */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { buffer } from "node:stream/consumers";
import { type Cli, say } from "../cli.ts";
import { ExitCode } from "../exit.ts";
import { CliFailure } from "../errors/failure.ts";
import { oneLine } from "../format/text.ts";
import { findJsonMistake } from "./json-position.ts";
import { systemReason } from "./system-reason.ts";

/** What is read, and the option that gives it: for messages. */
interface Read {
  readonly name: string;
  readonly option: string;
  /** How a file is given in its place; default: `<option> @file.json`. */
  readonly file?: string;
}

const theInput: Read = { name: "input", option: "--input" };

/** Without the option the input is `{}`. */
export async function readInput(option: string | undefined, cli: Cli, what: Read = theInput): Promise<unknown> {
  if (option === undefined) return {};
  if (option === "-") return parseInput(await readStandardInput(cli), "standard input", what);
  if (option.startsWith("@")) return parseInput(await readInputFile(option.slice(1), cli, what), option.slice(1), what);
  return parseInput(option, what.option, what);
}

/** `source` is named in the message. */
export function parseInput(text: string, source: string, what: Read = theInput): unknown {
  if (text.trim() === "") {
    throw new CliFailure("InputMalformed", `the ${what.name} from ${source} is empty`, {
      hint: `an empty ${what.name} is written {}`,
    });
  }
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw malformed(text, source, what);
  }
}

function malformed(text: string, source: string, { name, option, file = `${option} @file.json` }: Read): CliFailure {
  const { offset, line, column } = findJsonMistake(text);
  const what = describe(text, offset);
  return new CliFailure(
    "InputMalformed",
    `the ${name} from ${source} is not JSON: ${what} at line ${line}, column ${column}`,
    {
      details: excerpt(text, offset, column),
      hint:
        source === option
          ? `quote the whole JSON for your shell, or put it in a file and pass ${file}`
          : `the ${name} is one JSON value, with names and strings in double quotes`,
    },
  );
}

function describe(text: string, offset: number): string {
  if (offset >= text.trimEnd().length) return "it ends too early";
  const character = String.fromCodePoint(text.codePointAt(offset) ?? 0);
  return character === '"'
    ? "a string that is misplaced, unfinished or wrongly escaped starts"
    : `unexpected ${JSON.stringify(character)}`;
}

/** The line around the mistake with a mark under it, at most 60 characters. */
function excerpt(text: string, offset: number, column: number): string[] {
  const lineStart = offset - (column - 1);
  const lineEnd = text.indexOf("\n", offset) < 0 ? text.length : text.indexOf("\n", offset);
  const from = Math.max(lineStart, offset - 40);
  const shown = text.slice(from, Math.min(lineEnd, from + 60));
  return [oneLineKeepingColumns(shown), `${" ".repeat(offset - from)}^`];
}

function oneLineKeepingColumns(text: string): string {
  return [...text].map((char) => (oneLine(`x${char}x`).length === 3 ? char : " ")).join("");
}

async function readInputFile(path: string, cli: Cli, { name, option, file }: Read): Promise<string> {
  try {
    return decode(await readFile(resolve(cli.cwd, path)));
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === "ENOENT";
    throw new CliFailure(
      missing ? "FileNotFound" : "FileUnreadable",
      `cannot read the ${name} file ${path}: ${systemReason(error)}`,
      {
        exit: missing ? ExitCode.notFound : ExitCode.failed,
        hint: path === "" ? `write the path right after the @, as in ${file ?? `${option} @file.json`}` : undefined,
      },
    );
  }
}

async function readStandardInput(cli: Cli): Promise<string> {
  if (cli.stdin.isTTY) say(cli, "reading JSON from the terminal; end it with Ctrl-D (Ctrl-Z and Enter on Windows)");
  return decode(await buffer(cli.stdin));
}

/** UTF-8, or UTF-16 with a byte order mark as some Windows shells write it. */
function decode(bytes: Uint8Array): string {
  const encoding =
    bytes[0] === 0xff && bytes[1] === 0xfe ? "utf-16le" : bytes[0] === 0xfe && bytes[1] === 0xff ? "utf-16be" : "utf-8";
  return new TextDecoder(encoding).decode(bytes);
}
