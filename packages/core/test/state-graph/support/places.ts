import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { memory, type Backend } from "../../../src/index.ts";
import { sqlite } from "../../../src/node/index.ts";

/** Kinds of stores, each a new one per call, which goes when the test ends. */
export const places: readonly (readonly [kind: string, place: () => Backend])[] = [
  ["memory", () => memory()],
  ["SQLite", () => sqlite(join(folder(), "runs.db"), { synchronous: "off" })],
];

/** Goes when the test ends. */
export function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "millrace-state-graph-"));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

/** Opens when it is told to. */
export class Gate {
  open: () => void = () => undefined;
  readonly opened: Promise<void> = new Promise((resolve) => {
    this.open = resolve;
  });
}
