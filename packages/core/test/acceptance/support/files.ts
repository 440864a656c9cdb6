import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A folder of this test's own, gone with it. */
export function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "millrace-acceptance-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** A file of lines: what bodies did to the outside world. */
export class Effects {
  readonly file: string;

  constructor(file: string) {
    this.file = file;
  }

  add(line: string): void {
    appendFileSync(this.file, `${line}\n`);
  }

  lines(): string[] {
    return existsSync(this.file) ? readFileSync(this.file, "utf8").split("\n").slice(0, -1) : [];
  }

  /** How often each line stands in it. */
  counts(): Record<string, number> {
    return countsOf(this.lines());
  }
}

export function effects(): Effects {
  return new Effects(join(folder(), "effects.txt"));
}

export function countsOf(lines: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const line of lines) counts[line] = (counts[line] ?? 0) + 1;
  return counts;
}
