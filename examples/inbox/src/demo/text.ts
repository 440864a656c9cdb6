import { relative } from "node:path";
import { styleText } from "node:util";

const grouped = new Intl.NumberFormat("en-US");

/** `6,046` */
export function count(value: number): string {
  return grouped.format(value);
}

/** `98.4 %`, or a dash when there was nothing to divide by. */
export function percent(share: number | null): string {
  return share === null ? "–" : `${(share * 100).toFixed(1)} %`;
}

export function seconds(value: number): string {
  return `${value.toFixed(1)} s`;
}

export function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

/** `parse 3,030 · describe 3,023` */
export function perNode(counts: Readonly<Record<string, number>>): string {
  const entries = Object.entries(counts);
  return entries.length === 0 ? "none" : entries.map(([node, value]) => `${node} ${count(value)}`).join(" · ");
}

export function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((total, value) => total + value, 0);
}

/** As one would type it from `cwd`: relative when it is below, else absolute. */
export function shortest(cwd: string, path: string): string {
  const short = relative(cwd, path);
  return short === "" || short.startsWith("..") ? path : short;
}

/** Where lines for people go, in colour only if that is a terminal. */
export interface Page {
  readonly line: (text?: string) => void;
  readonly style: (look: Look, text: string) => string;
}

export type Look = "bold" | "dim" | "green" | "red" | "yellow";

export function pageOn(stream: NodeJS.WriteStream): Page {
  return {
    line: (text = "") => void stream.write(`${text}\n`),
    style: (look, text) => styleText(look, text, { stream }),
  };
}
