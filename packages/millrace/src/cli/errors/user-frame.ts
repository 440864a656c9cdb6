/** Where in the user's own files an error came from. */
import { relative } from "node:path";
import { fileURLToPath } from "node:url";

export interface Frame {
  readonly file: string;
  readonly line: number;
  readonly column: number | undefined;
}

/** A frame ends in `file:line:column`; the stack of a syntax error starts with a bare `file:line`. */
const location = /(?:^|[\s(])((?:file:\/\/|\/|[A-Za-z]:[\\/])[^()\n]*?):(\d+)(?::(\d+))?\)?$/;
const ours = ownFolders();

/** The first frame that is neither Node's, nor Millrace's, nor a dependency's. */
export function userFrame(error: unknown): Frame | undefined {
  return framesOf(error).find(({ file }) => !isOurs(file) && !slashes(file).includes("/node_modules/"));
}

/** Whether the error was made by Millrace itself and not by what it runs. */
export function isOwnFault(error: unknown): boolean {
  const [top] = framesOf(error);
  return top !== undefined && isOurs(top.file);
}

/** Without those inside Node. */
function framesOf(error: unknown): Frame[] {
  const stack = error instanceof Error ? (error.stack ?? "") : "";
  return stack.split("\n").flatMap((line) => parseFrame(line) ?? []);
}

/** `flows/inbox.ts:12:7`, relative to `cwd` when it lies below it. */
export function showFrame({ file, line, column }: Frame, cwd: string): string {
  const near = relative(cwd, file);
  return `${near.startsWith("..") ? file : near}:${line}${column === undefined ? "" : `:${column}`}`;
}

/** The same for a location as text: `file:///app/flows/inbox.ts:12:7`. */
export function showLocation(text: string, cwd: string): string {
  const frame = parseFrame(text);
  return frame === undefined ? text : showFrame(frame, cwd);
}

function parseFrame(line: string): Frame | undefined {
  const match = location.exec(line.trim());
  if (match === null) return undefined;
  const [, where = "", row = "", column] = match;
  return { file: toPath(where), line: Number(row), column: column === undefined ? undefined : Number(column) };
}

function toPath(where: string): string {
  if (!where.startsWith("file://")) return where;
  try {
    return fileURLToPath(where.replace(/\?.*$/, ""));
  } catch {
    return where;
  }
}

function isOurs(file: string): boolean {
  return ours.some((folder) => slashes(file).startsWith(folder));
}

/** The sources of this package and of the core it runs on: linked workspaces are not below `node_modules`. */
function ownFolders(): string[] {
  const entries = ["millrace", "@millrace/core"].map((name) => new URL(".", import.meta.resolve(name)));
  return entries.map((folder) => slashes(fileURLToPath(folder)));
}

function slashes(path: string): string {
  return path.replaceAll("\\", "/");
}
