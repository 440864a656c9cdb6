/** What is killed, packed: a process that dies soon spends its life on starting. */
import { execFileSync } from "node:child_process";
import { globSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type * as Testing from "../../../src/testing/index.ts";

const core = fileURLToPath(new URL("../../../", import.meta.url));
const packer = join(core, "../../scripts/pack-programs.ts");

export interface Packed {
  /** Its processes are packed too. */
  readonly crashHarness: typeof Testing.crashHarness;
  program(name: string): URL;
  remove(): void;
}

export async function packPrograms(): Promise<Packed> {
  const out = mkdtempSync(join(tmpdir(), "millrace-packed-"));
  const programs = globSync(join(core, "test/sigkill/programs/*.ts"));
  execFileSync(process.execPath, [packer, out, join(core, "src/testing/index.ts"), ...programs], { stdio: "pipe" });
  const file = (path: string): URL => pathToFileURL(join(out, path));
  const { crashHarness } = (await import(file("src/testing/index.js").href)) as typeof Testing;
  return {
    crashHarness,
    program: (name) => file(`test/sigkill/programs/${name}.js`),
    remove: () => rmSync(out, { recursive: true }),
  };
}
