/** An application that has the packages installed, as they would be published. */
import { cpSync, existsSync, mkdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { publishables, readManifest, root, type Publishable } from "../packages.ts";
import { bundlePackage } from "./bundle.ts";
import { stage } from "./stage.ts";

/** The staged packages. Copies, not links: what a package imports is looked for from where it lies. */
export function install(app: string): void {
  for (const target of publishables) cpSync(target.staged, placeOf(app, target), { recursive: true });
  link(app);
}

/** The packages as the sources are now, without declarations: a second instead of many, for programs that are only run. */
export async function installSources(app: string): Promise<void> {
  for (const target of publishables) {
    const staged = placeOf(app, target);
    await bundlePackage({ ...target, staged });
    stage({ ...target, staged });
  }
  link(app);
}

function placeOf(app: string, { name }: Publishable): string {
  return join(app, "node_modules", name);
}

/** What the packages depend on, and their programs. */
function link(app: string): void {
  const modules = join(app, "node_modules");
  mkdirSync(join(modules, ".bin"), { recursive: true });
  for (const target of publishables) {
    const { dependencies, peerDependencies, publishConfig } = readManifest(target.folder);
    for (const [name, path] of Object.entries(publishConfig.bin ?? {}))
      symlinkSync(join(placeOf(app, target), path), join(modules, ".bin", name));
    for (const name of Object.keys({ ...dependencies, ...peerDependencies })) {
      const place = join(modules, name);
      if (existsSync(place)) continue;
      mkdirSync(dirname(place), { recursive: true });
      symlinkSync(dependencyFolder(target.folder, name), place);
    }
  }
}

function dependencyFolder(folder: string, name: string): string {
  const found = [folder, root].map((parent) => join(parent, "node_modules", name)).find((place) => existsSync(place));
  if (found === undefined) throw new Error(`${name} is not installed`);
  return found;
}
