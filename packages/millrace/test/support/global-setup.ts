/** The program as it is published, in an application that has it installed, once for all end-to-end tests of a run. */
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { TestProject } from "vitest/node";

import { installSources } from "../../../../scripts/build/install.ts";
import { root } from "../../../../scripts/packages.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The folder of the application. */
    readonly app: string;
  }
}

export default async function setUp(project: TestProject): Promise<() => void> {
  mkdirSync(join(root, ".build"), { recursive: true });
  const app = mkdtempSync(join(root, ".build/app-"));
  await installSources(app);
  cpSync(join(import.meta.dirname, "../fixtures"), join(app, "flows"), { recursive: true });
  project.provide("app", app);
  return () => rmSync(app, { recursive: true });
}
