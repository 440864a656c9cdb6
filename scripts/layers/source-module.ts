/** One parsed file, reduced to what the rules look at. */
import { parseSync, Visitor, type ParseResult } from "oxc-parser";
import { globalUses } from "./global-uses.ts";

/** Name of an import whose specifier is an expression. */
export const COMPUTED = "(computed)";

export interface SourceModule {
  /** Relative to the checked folder, with `/`. */
  readonly path: string;
  /** Every `import`, `export … from`, `import()` and `import("…").Type`; types count too. */
  readonly imports: readonly Mention[];
  /** Globals read as values, and the syntax `async` and `await`. */
  readonly uses: readonly Mention[];
  /** Nothing but imports and `export … from`. */
  readonly isBarrel: boolean;
}

export interface Mention {
  readonly name: string;
  readonly line: number;
}

export function parseModule(path: string, text: string): SourceModule {
  const parsed = parseSync(path, text, { sourceType: "module" });
  if (parsed.errors.length > 0) throw new SyntaxError(`${path}: ${parsed.errors[0]!.message}`);
  const at = ({ name, start }: { name: string; start: number }): Mention => ({
    name,
    line: text.slice(0, start).split("\n").length,
  });
  return {
    path,
    imports: specifiers(parsed, text).map(at),
    uses: globalUses(parsed.program).map(at),
    isBarrel: onlyReexports(parsed),
  };
}

function specifiers({ module, program }: ParseResult, text: string): { name: string; start: number }[] {
  const requests = [
    ...module.staticImports.map((statement) => statement.moduleRequest),
    ...module.staticExports.flatMap((statement) => statement.entries[0]?.moduleRequest ?? []),
  ];
  const found = requests.map(({ value, start }) => ({ name: value, start }));
  for (const { moduleRequest: request } of module.dynamicImports) {
    const written = text.slice(request.start, request.end);
    found.push({ name: /^["'`]/.test(written) ? written.slice(1, -1) : COMPUTED, start: request.start });
  }
  new Visitor({ TSImportType: ({ source }) => void found.push({ name: source.value, start: source.start }) }).visit(
    program,
  );
  return found;
}

function onlyReexports({ program: { body } }: ParseResult): boolean {
  const isReexport = (statement: (typeof body)[number]): boolean =>
    statement.type === "ExportAllDeclaration" ||
    (statement.type === "ExportNamedDeclaration" && statement.source !== null);
  return body.some(isReexport) && body.every((node) => node.type === "ImportDeclaration" || isReexport(node));
}
