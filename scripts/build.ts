/**
 * `npm run build`: compiles every publishable package into `.build/packages/<folder>`, ready for `npm pack` there.
 *
 * In the workspace `exports` point to the sources. npm does not apply `publishConfig.exports` by itself, so the staged
 * `package.json` carries them instead, and `publishConfig.directory` makes `changeset publish` take the staged folder.
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { build } from "tsdown";
import { bundlePackage } from "./build/bundle.ts";
import { stage } from "./build/stage.ts";
import { publishables, root, type Publishable } from "./packages.ts";

for (const target of publishables) {
  rmSync(target.staged, { recursive: true, force: true });
  await declare(target);
  await bundlePackage(target);
  stage(target);
  console.log(`${target.name} → ${target.staged.slice(root.length + 1)}`);
}

/** One declaration file per source file: an editor that is asked for a type shows the module it is from. */
async function declare({ folder, staged }: Publishable): Promise<void> {
  await build({
    config: false,
    cwd: folder,
    entry: ["src/**/*.ts"],
    outDir: join(staged, "dist"),
    tsconfig: join(folder, "tsconfig.json"),
    unbundle: true,
    format: "esm",
    platform: "node",
    fixedExtension: false,
    dts: { oxc: {}, emitDtsOnly: true },
    checks: { pluginTimings: false },
    logLevel: "warn",
  });
}
