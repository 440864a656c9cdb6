/** Which globals a program reads as values. Purely by name: a local that shadows a global is better renamed. */
import { visitorKeys, type Program } from "oxc-parser";

interface Node {
  readonly type: string;
  readonly start: number;
  readonly [key: string]: unknown;
}

/** `setTimeout`, `Date.now`, `new Date()`, `Date()`, `async`, `await`, in source order. */
export function globalUses(program: Program): { name: string; start: number }[] {
  const found: { name: string; start: number }[] = [];
  visit(program as unknown as Node, (node, key, parent) => {
    const name = syntaxName(node) ?? (isReference(node, key, parent) ? (node["name"] as string) : undefined);
    if (name !== undefined) found.push({ name, start: node.start });
  });
  return found;
}

type Enter = (node: Node, key: string, parent: Node) => void;

/** Depth first. Of TypeScript's own nodes only the wrapped expression: types do nothing at run time. */
function visit(node: Node, enter: Enter): void {
  const keys = node.type.startsWith("TS") ? ["expression"] : (visitorKeys[node.type] ?? []);
  for (const key of keys) {
    for (const child of [node[key]].flat() as (Node | null | undefined)[]) {
      if (!child) continue;
      enter(child, key, node);
      visit(child, enter);
    }
  }
}

function syntaxName(node: Node): string | undefined {
  if (node.type === "AwaitExpression" || (node.type === "ForOfStatement" && node["await"] === true)) return "await";
  if (/Function/.test(node.type) && node["async"] === true) return "async";
  if (node.type === "MemberExpression") return memberName(node);
  const isCall = node.type === "NewExpression" || node.type === "CallExpression";
  if (!isCall || (node["callee"] as Node)["name"] !== "Date") return undefined;
  if (node.type === "CallExpression") return "Date()";
  return (node["arguments"] as unknown[]).length === 0 ? "new Date()" : undefined;
}

/** `Date.now`, and `setTimeout` for `globalThis.setTimeout`. */
function memberName(node: Node): string | undefined {
  const { name: object } = node["object"] as { name?: string };
  const { name: property } = node["property"] as { name?: string };
  if (object === undefined || property === undefined) return undefined;
  return ["globalThis", "window", "self"].includes(object) ? property : `${object}.${property}`;
}

/** An identifier that is not merely the name of a property, an import or an export, or what `instanceof` asks for. */
function isReference(node: Node, key: string, parent: Node): boolean {
  if (node.type !== "Identifier") return false;
  if (/^(Import|Export).*Specifier$/.test(parent.type)) return false;
  if (parent["operator"] === "instanceof" && key === "right") return false;
  const isName = key === "property" || key === "key";
  return !isName || parent["computed"] === true;
}
