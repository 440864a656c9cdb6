/**
 * `npm run build`: compiles every publishable package into `.build/packages/<folder>`, ready for `npm pack` there.
 *
 * In the workspace `exports` point to the sources. npm does not apply `publishConfig.exports` by itself, so the staged
 * `package.json` carries them instead, and `publishConfig.directory` makes `changeset publish` take the staged folder.
 */
import { copyFileSync, existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build, type Rolldown } from "tsdown";
import { publishables, readManifest, root, type Publishable } from "./packages.ts";

/** A worker thread is started as `new Worker(new URL("./writer-thread.ts", import.meta.url))`; packed, it is a `.js`. */
const workerUrls: Rolldown.Plugin = {
  name: "worker-urls",
  transform: (code) => code.replaceAll(/(new URL\("\.[^"]+)\.ts(", import\.meta\.url\))/g, "$1.js$2"),
};

for (const target of publishables) {
  rmSync(target.staged, { recursive: true, force: true });
  await compile(target);
  stage(target);
  console.log(`${target.name} → ${target.staged.slice(root.length + 1)}`);
}

/** One output file per source file: worker threads are started by path, and stack traces name the module. */
async function compile({ folder, staged }: Publishable): Promise<void> {
  await build({
    config: false,
    cwd: folder,
    entry: ["src/**/*.ts"],
    outDir: join(staged, "dist"),
    tsconfig: join(folder, "tsconfig.json"),
    unbundle: true,
    format: "esm",
    platform: "node",
    plugins: [workerUrls],
    target: "node22.18",
    fixedExtension: false,
    dts: { oxc: {} },
    logLevel: "warn",
  });
}

function stage({ folder, staged }: Publishable): void {
  const { devDependencies: _dev, scripts: _scripts, publishConfig, ...manifest } = readManifest(folder);
  const { access, directory: _directory, ...published } = publishConfig;
  const text = JSON.stringify({ ...manifest, ...published, publishConfig: { access } }, undefined, 2);
  writeFileSync(join(staged, "package.json"), `${text}\n`);
  copyFileSync(join(root, "LICENSE"), join(staged, "LICENSE"));
  const readme = [folder, root].map((parent) => join(parent, "README.md")).find((path) => existsSync(path));
  if (readme) copyFileSync(readme, join(staged, "README.md"));
}
