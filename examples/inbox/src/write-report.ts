import { createHash } from "node:crypto";
import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { reportPage } from "./page/page.ts";
import { reportJson, type Report } from "./report.ts";

export interface WrittenFile {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** Writes `report.json` and `report.html`. Writing again gives the same files: the op may run twice after a crash. */
export async function writeReport(report: Report, outDir: string): Promise<{ json: WrittenFile; html: WrittenFile }> {
  await mkdir(outDir, { recursive: true });
  return {
    json: await writeWhole(join(outDir, "report.json"), reportJson(report)),
    html: await writeWhole(join(outDir, "report.html"), reportPage(report)),
  };
}

/** A reader sees the old file or the new one, never half of one. */
async function writeWhole(path: string, text: string): Promise<WrittenFile> {
  const partial = `${path}.partial`;
  await writeFile(partial, text);
  await rename(partial, path);
  return { path, bytes: Buffer.byteLength(text), sha256: createHash("sha256").update(text).digest("hex") };
}
