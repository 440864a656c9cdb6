/** Figures run one after another, each in a process of its own, so that what one compiled does not slow the next. */
import { fork } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Result } from "./figure.ts";

const childFile = fileURLToPath(new URL("./child.ts", import.meta.url));

export interface RunSettings {
  readonly quick: boolean;
  /** Where databases are made. */
  readonly folder: string;
}

/** Rejects when the figure crashes; what it printed is on stderr then. `file`: the process that measures it. */
export async function runFigure<R = Result>(
  name: string,
  { quick, folder }: RunSettings,
  file: string = childFile,
): Promise<R> {
  const own = mkdtempSync(join(folder, "millrace-bench-"));
  try {
    return await inChild<R>(file, name, [quick ? "quick" : "full", own]);
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
}

function inChild<R>(file: string, name: string, rest: readonly string[]): Promise<R> {
  return new Promise((resolve, reject) => {
    const child = fork(file, [name, ...rest], {
      execArgv: ["--expose-gc"],
      // Data is on stdout; whatever a figure prints is not data.
      stdio: ["ignore", process.stderr, process.stderr, "ipc"],
    });
    let result: R | undefined;
    child.on("message", (message) => {
      result = message as R;
    });
    child.on("error", reject);
    child.on("close", (code, signal) => {
      if (result !== undefined && code === 0) resolve(result);
      else reject(new Error(`figure ${name} ended with ${signal ?? `exit code ${code}`} and without a result`));
    });
  });
}
