/** The JavaScript of a package: few files, since reading six hundred takes longer than what most commands do. */
import { join, relative } from "node:path";
import { build } from "tsdown";
import { readManifest, type Publishable } from "../packages.ts";
import { startedFiles } from "./started-files.ts";

/** A file per entry, one per file that is started by its path, and what several of them share. */
export function bundlePackage({ folder, staged }: Publishable): Promise<void> {
  return bundle({ folder, sources: join(folder, "src"), entries: entriesOf(folder), out: join(staged, "dist") });
}

export interface Bundle {
  /** Of the package, where its `tsconfig.json` is. */
  readonly folder: string;
  /** Every file lies in `out` as its source lies in here. */
  readonly sources: string;
  /** Sources, relative to the package's folder, by their path in `out` without the ending. */
  readonly entries: Readonly<Record<string, string>>;
  readonly out: string;
}

export async function bundle({ folder, sources, entries, out }: Bundle): Promise<void> {
  await build({
    config: false,
    cwd: folder,
    entry: { ...entries },
    outDir: out,
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
        nameOf(sources, isDynamicEntry && facadeModuleId !== null ? [facadeModuleId] : moduleIds),
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
function nameOf(sources: string, modules: readonly string[]): string {
  // What the bundler itself adds has no path.
  const names = modules.filter((id) => !id.startsWith("\0")).map((id) => relative(sources, id));
  if (names.includes("engine/engine.ts")) return "engine.js";
  const [first = "bundler"] = names;
  return `shared/${first.replace(/\.ts$/, "").replaceAll("/", "-")}.js`;
}
