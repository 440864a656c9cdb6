/** What lies beside the compiled files of a package. */
import { copyFileSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readManifest, root, type Publishable } from "../packages.ts";

/** `package.json` as it is published, README and LICENSE. */
export function stage({ folder, staged }: Publishable): void {
  const { devDependencies: _dev, scripts: _scripts, publishConfig, ...manifest } = readManifest(folder);
  const { access, directory: _directory, ...published } = publishConfig;
  const text = JSON.stringify({ ...manifest, ...published, publishConfig: { access } }, undefined, 2);
  writeFileSync(join(staged, "package.json"), `${text}\n`);
  copyFileSync(join(root, "LICENSE"), join(staged, "LICENSE"));
  const readme = [folder, root].map((parent) => join(parent, "README.md")).find((path) => existsSync(path));
  if (readme) copyFileSync(readme, join(staged, "README.md"));
}
