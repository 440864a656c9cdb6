/** Adapters of servers are packages of their own: they are loaded from where the user has them. */
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { ExitCode } from "../exit.ts";
import { CliFailure } from "../errors/failure.ts";

/** Those of the project are looked for first, then those that were installed beside this program. */
export async function loadAdapter(
  name: string,
  title: string,
  cwd: string,
  beside: string = fileURLToPath(import.meta.url),
): Promise<Readonly<Record<string, unknown>>> {
  for (const place of [join(cwd, "package.json"), beside]) {
    const path = resolveFrom(place, name);
    if (path !== undefined) return (await import(pathToFileURL(path).href)) as Readonly<Record<string, unknown>>;
  }
  throw new CliFailure("AdapterMissing", `--db names a ${title} database, and ${name} is not installed`, {
    exit: ExitCode.notFound,
    hint: `npm install ${name}`,
  });
}

/** Undefined: it is not there. One that is there and broken is told as it is. */
function resolveFrom(place: string, name: string): string | undefined {
  try {
    return createRequire(place).resolve(name);
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === "MODULE_NOT_FOUND") return undefined;
    throw error;
  }
}
