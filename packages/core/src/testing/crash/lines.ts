/**
 * The file in which every process says what it sees, one line each, written at once: what was written before a SIGKILL stays
 * written. A line is JSON: who (the number of the process), what, and the rest.
 */
import { existsSync, openSync, readFileSync, writeSync } from "node:fs";

export type Line =
  | { readonly what: "created"; readonly run: string; readonly seq: number; readonly chain: number }
  | {
      readonly what: "claimed";
      readonly run: string;
      readonly epoch: number;
      readonly seq: number;
      readonly status: string;
    }
  | {
      readonly what: "acknowledged";
      readonly run: string;
      readonly epoch: number;
      readonly seq: number;
      readonly chain: number;
    }
  | { readonly what: "refused"; readonly run: string; readonly epoch: number }
  | {
      readonly what: "body";
      readonly run: string;
      readonly epoch: number;
      readonly path: string;
      readonly node: string;
      readonly attempt: number;
      readonly key: string;
    }
  /** Its answer was acknowledged. */
  | { readonly what: "answered"; readonly run: string; readonly path: string }
  | { readonly what: "ended"; readonly run: string; readonly status: string };

export type Said = Line & { readonly life: number };

export function writeLines(file: string, life: number): (line: Line) => void {
  const fd = openSync(file, "a");
  return (line) => void writeSync(fd, `${JSON.stringify({ life, ...line })}\n`);
}

/** Whole ones: the last of a process that was killed may be torn, and another one's may stand behind it. */
export function linesIn(file: string): Said[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, "utf8")
    .split("\n")
    .flatMap((text) => (text.endsWith("}") ? [parsed(text)] : []))
    .filter((line) => line !== null);
}

function parsed(text: string): Said | null {
  try {
    return JSON.parse(text) as Said;
  } catch {
    return null;
  }
}
