import { spawnSync } from "node:child_process";
import { extname } from "node:path";
import type { Frame } from "./user-frame.ts";

const javaScript = new Set([".js", ".mjs", ".cjs"]);

/**
 * Where a JavaScript file stops being one. Node keeps the place of a syntax error to itself when the import is caught;
 * `node --check` tells it, and parses without running anything. TypeScript errors carry their place already.
 */
export function syntaxErrorFrame(error: unknown, file: string): Frame | undefined {
  if (!(error instanceof SyntaxError) || !javaScript.has(extname(file))) return undefined;
  const { stderr } = spawnSync(process.execPath, ["--check", file], { encoding: "utf8", timeout: 5_000 });
  const line = /:(\d+)$/.exec(stderr.split(/\r?\n/, 1)[0] ?? "")?.[1];
  return line === undefined ? undefined : { file, line: Number(line), column: undefined };
}
