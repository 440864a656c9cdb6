/** What of Millrace a piece of code mentions, whatever name it was imported under. */
import { fieldName, type Definition, type RuleContext, type Syntax, variableOf } from "./syntax.ts";

/** Where a mentioned name comes from: one of Millrace's modules, or another one. */
export interface Imported {
  readonly ours: boolean;
  /** As it is exported; undefined: a whole module, or what it exports by default. */
  readonly name: string | undefined;
}

/** What the expression mentions of an imported module: `graph`, `m.graph` of `import * as m`; undefined: something else. */
export function importedBy(context: RuleContext, modules: readonly string[], node: Syntax): Imported | undefined {
  if (node.type === "Identifier") {
    const definition = variableOf(context, node)?.defs[0];
    return definition?.type === "ImportBinding" ? importOf(definition, modules) : undefined;
  }
  if (node.type !== "MemberExpression") return undefined;
  const from = importedBy(context, modules, node.object);
  // A field of something else that was imported, as in `ops.fetchPage`, is nothing of ours.
  return from && { ours: from.ours && from.name === undefined, name: fieldName(node.property, node.computed) };
}

function importOf({ node, parent }: Definition, modules: readonly string[]): Imported {
  const ours = modules.includes(String(parent?.source?.value));
  if (node.type !== "ImportSpecifier") return { ours, name: undefined };
  return { ours, name: node.imported?.name ?? String(node.imported?.value) };
}
