/** The packages that are published, and where their staged copies lie. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

export const root: string = join(import.meta.dirname, "..");

export interface Publishable {
  readonly name: string;
  /** Source folder. */
  readonly folder: string;
  /** What `npm publish` sees: `dist`, `package.json` with the published exports, README and LICENSE. */
  readonly staged: string;
}

export const publishables: readonly Publishable[] = ["core", "millrace", "postgres", "mysql", "otel"].map((folder) => ({
  name: readManifest(join(root, "packages", folder)).name,
  folder: join(root, "packages", folder),
  staged: join(root, ".build/packages", folder),
}));

export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string>>;
  readonly publishConfig: {
    readonly access: string;
    readonly directory: string;
    readonly exports: Readonly<Record<string, string>>;
    readonly bin?: Readonly<Record<string, string>>;
  };
}

export function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
}
