/** Imports a user's module natively; TypeScript is run by stripping its types, without a bundler. */
import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, dirname, extname } from "node:path";
import { pathToFileURL } from "node:url";
import { ExitCode } from "../exit.ts";
import { CliFailure } from "../errors/failure.ts";
import { oneLine } from "../format/text.ts";
import type { GraphReference } from "./graph-reference.ts";
import { nearest } from "../nearest.ts";
import { withoutHint } from "../errors/report.ts";
import { syntaxErrorFrame } from "../errors/syntax-error-frame.ts";
import { showFrame, userFrame } from "../errors/user-frame.ts";

export type Module = Readonly<Record<string, unknown>>;

export async function loadModule(reference: GraphReference, cwd: string): Promise<Module> {
  mustBeFile(reference);
  try {
    return (await import(pathToFileURL(reference.path).href)) as Module;
  } catch (error) {
    throw moduleFailure(reference, error, cwd);
  }
}

function mustBeFile({ file, path }: GraphReference): void {
  if (!existsSync(path)) {
    throw new CliFailure("FileNotFound", `there is no file ${file}`, {
      exit: ExitCode.notFound,
      hint: similarFile(file, path),
    });
  }
  if (!statSync(path).isFile()) {
    throw new CliFailure("FileNotFound", `${file} is not a file`, {
      exit: ExitCode.notFound,
      hint: "name the module that exports the graph: flows/inbox.ts#inbox",
    });
  }
}

function similarFile(file: string, path: string): string | undefined {
  const folder = dirname(path);
  if (!existsSync(folder)) return `the folder ${dirname(file)} does not exist either`;
  const near = nearest(basename(path), readdirSync(folder));
  return near === undefined ? undefined : `did you mean ${file.slice(0, file.length - basename(file).length)}${near}?`;
}

function moduleFailure(reference: GraphReference, error: unknown, cwd: string): CliFailure {
  const frame = userFrame(error) ?? syntaxErrorFrame(error, reference.path);
  const details = frame === undefined ? [] : [`at ${showFrame(frame, cwd)}`];
  const { code, hint } = explain(error, reference);
  const build = isBuildError(error);
  const message = build
    ? `a graph of ${reference.file} cannot be built: ${messageOf(error)}`
    : `${reference.file} cannot be loaded: ${describe(error)}`;
  return new CliFailure(build ? "BuildError" : code, message, {
    exit: ExitCode.failed,
    hint,
    details,
    cause: causeOf(error),
  });
}

function explain(error: unknown, { path, file }: GraphReference): { code: string; hint: string | undefined } {
  const hint = hintOf(error);
  if (hint !== undefined) return { code: "ModuleFailed", hint };
  switch ((error as { code?: unknown } | null)?.code) {
    case "ERR_MODULE_NOT_FOUND":
      return {
        code: "ModuleFailed",
        hint: "install the package or mend the path; relative imports need their file extension (./step.ts)",
      };
    case "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX":
      return {
        code: "ModuleFailed",
        hint: "types are stripped, not compiled: enums, namespaces and parameter properties need plain JavaScript forms",
      };
    case "ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING":
      return { code: "ModuleFailed", hint: "files below node_modules must be JavaScript" };
    case "ERR_UNKNOWN_FILE_EXTENSION":
      return {
        code: "ModuleFailed",
        hint: `${extname(path) || file} is no module; name a .ts, .mts, .js or .mjs file`,
      };
    default:
      return { code: "ModuleFailed", hint: undefined };
  }
}

function isBuildError(error: unknown): boolean {
  return error instanceof Error && (error as { code?: unknown }).code === "BuildError";
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return `it threw ${oneLine(String(error))}`;
  return `${error.name}: ${messageOf(error)}`;
}

function messageOf(error: unknown): string {
  return oneLine(error instanceof Error ? withoutHint(error.message) : String(error));
}

function hintOf(error: unknown): string | undefined {
  const hint = (error as { hint?: unknown } | null)?.hint;
  return typeof hint === "string" ? hint : undefined;
}

function causeOf(error: unknown): unknown {
  return error instanceof Error ? error.cause : undefined;
}
