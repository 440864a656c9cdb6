/** The JavaScript of a package: few files, since reading six hundred takes longer than what most commands do. */
import { join, relative } from "node:path";
import { build } from "tsdown";
import { readManifest, type Publishable } from "../packages.ts";
import { startedFiles } from "./started-files.ts";

/** A file per entry, one per file that is started by its path, and what several of them share. */
export async function bundle({ folder, staged }: Publishable): Promise<void> {
  const sources = join(folder, "src");
  await build({
    config: false,
    cwd: folder,
    entry: entriesOf(folder),
    outDir: join(staged, "dist"),
    clean: false,
    tsconfig: join(folder, "tsconfig.json"),
    format: "esm",
    platform: "node",
    target: "node22.18",
    fixedExtension: false,
    dts: false,
    // `sideEffects: false` is said to whoever imports the package; the program itself begins with an import for its effects.
    treeshake: false,
    plugins: [startedFiles(sources)],
    outputOptions: {
      // Names without hashes: a stack trace shows them, and a package is replaced as a whole.
      chunkFileNames: ({ isDynamicEntry, facadeModuleId, moduleIds }) =>
        nameOf(
          (isDynamicEntry && facadeModuleId !== null ? [facadeModuleId] : moduleIds).map((id) => relative(sources, id)),
        ),
    },
    logLevel: "warn",
  });
}

/** By their path in `dist`, without the ending. */
function entriesOf(folder: string): Record<string, string> {
  const { exports, bin = {} } = readManifest(folder).publishConfig;
  const names = [...Object.values(exports), ...Object.values(bin)].flatMap(
    (path) => /^\.\/dist\/(.*)\.js$/.exec(path)?.[1] ?? [],
  );
  return Object.fromEntries(names.map((name) => [name, join("src", `${name}.ts`)]));
}

/** Of the modules of one file: the engine, or the first of what several threads or entries use. */
function nameOf(modules: readonly string[]): string {
  if (modules.includes("engine/engine.ts")) return "engine.js";
  const [first = ""] = modules;
  return `shared/${first.replace(/\.ts$/, "").replaceAll("/", "-")}.js`;
}
