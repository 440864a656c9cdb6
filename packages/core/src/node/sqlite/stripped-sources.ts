/**
 * The worker when Millrace runs from its TypeScript sources, that is, in its own repository. Packages hold JavaScript and
 * do not come here.
 *
 * Node strips types with a WebAssembly module; a worker thread that loaded one can bring the whole process down when it
 * ends (nodejs/node#64500: V8's registry of code pages). So the types are stripped on the main thread, which keeps its
 * module for good, and the worker is given plain JavaScript.
 */
import { readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";

/** JavaScript by the URL of the TypeScript file that it comes from. */
export type Sources = Readonly<Record<string, string>>;

/** Runs in the worker before its first module: answers loads of the files that came along. */
const answerLoads = `
  import { registerHooks } from "node:module";
  import { workerData } from "node:worker_threads";
  const { sources } = workerData;
  registerHooks({
    resolve(specifier, context, next) {
      const url = specifier.startsWith(".") ? new URL(specifier, context.parentURL).href : specifier;
      return url in sources ? { url, format: "module", shortCircuit: true } : next(specifier, context);
    },
    load(url, context, next) {
      const source = sources[url];
      return source === undefined ? next(url, context) : { format: "module", source, shortCircuit: true };
    },
  });
`;

export const loadFromSources: readonly string[] = [
  "--import",
  `data:text/javascript,${encodeURIComponent(answerLoads)}`,
];

const known = new Map<string, Sources>();
const knownFiles = new Map<string, string>();

/** `entry` and everything it imports by a relative path, without types. */
export function strippedSources(entry: URL): Sources {
  let sources = known.get(entry.href);
  if (sources === undefined) {
    const found: Record<string, string> = {};
    collect(entry, found);
    known.set(entry.href, (sources = found));
  }
  return sources;
}

function collect(file: URL, found: Record<string, string>): void {
  if (file.href in found) return;
  const source = strippedSource(file);
  found[file.href] = source;
  for (const [, path] of source.matchAll(/\bfrom "(\.[^"]+)"/g)) collect(new URL(path as string, file), found);
}

/** The JavaScript of one TypeScript file. */
export function strippedSource(file: URL): string {
  let source = knownFiles.get(file.href);
  if (source === undefined) knownFiles.set(file.href, (source = withoutTypes(readFileSync(file, "utf8"))));
  return source;
}

/** The function warns that it is experimental; in a repository's own tests that is known. */
function withoutTypes(source: string): string {
  const own = Object.getOwnPropertyDescriptor(process, "emitWarning");
  Object.defineProperty(process, "emitWarning", { value: () => undefined, configurable: true, writable: true });
  try {
    return stripTypeScriptTypes(source);
  } finally {
    if (own === undefined) Reflect.deleteProperty(process, "emitWarning");
    else Object.defineProperty(process, "emitWarning", own);
  }
}
