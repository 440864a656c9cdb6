/** The part of ESTree that the rules look at. Nodes of other types exist; they are told apart by `type`. */

export interface Identifier {
  readonly type: "Identifier";
  readonly name: string;
  readonly typeAnnotation?: TypeAnnotation | null;
  readonly optional?: boolean;
}

export interface TypeAnnotation {
  readonly typeAnnotation: { readonly type: string; readonly typeName?: { readonly type: string } };
}

export interface Member {
  readonly type: "MemberExpression";
  readonly object: Syntax;
  readonly property: Syntax;
  readonly computed: boolean;
  readonly optional?: boolean;
}

export interface Call {
  readonly type: "CallExpression";
  readonly callee: Syntax;
  readonly arguments: readonly Syntax[];
  readonly optional?: boolean;
}

export interface Tagged {
  readonly type: "TaggedTemplateExpression";
  readonly tag: Syntax;
}

/** What adds nothing to the value: `x as T`, `x!`, `x satisfies T`, `(x)`, the outside of `a?.b`. */
export interface Wrapping {
  readonly type:
    | "ChainExpression"
    | "ParenthesizedExpression"
    | "TSAsExpression"
    | "TSNonNullExpression"
    | "TSSatisfiesExpression"
    | "TSTypeAssertion";
  readonly expression: Syntax;
}

export interface Conditional {
  readonly type: "ConditionalExpression";
  readonly test: Syntax;
  readonly consequent: Syntax;
  readonly alternate: Syntax;
}

export interface Logical {
  readonly type: "LogicalExpression";
  readonly operator: "&&" | "||" | "??";
  readonly left: Syntax;
  readonly right: Syntax;
}

export interface Assignment {
  readonly type: "AssignmentExpression";
  readonly operator: string;
  readonly left: Syntax;
  readonly right: Syntax;
}

export interface Binary {
  readonly type: "BinaryExpression";
  readonly operator: string;
  readonly left: Syntax;
  readonly right: Syntax;
}

export interface Unary {
  readonly type: "UnaryExpression";
  readonly operator: string;
  readonly argument: Syntax;
}

export interface ObjectLiteral {
  readonly type: "ObjectExpression";
  readonly properties: readonly Syntax[];
}

export interface Property {
  readonly type: "Property";
  readonly key: Syntax;
  readonly value: Syntax;
  readonly computed: boolean;
}

export interface Declarator {
  readonly type: "VariableDeclarator";
  readonly id: Syntax;
  readonly init: Syntax | null;
}

export interface Closure {
  readonly type: "ArrowFunctionExpression" | "FunctionExpression" | "FunctionDeclaration";
  readonly params: readonly Syntax[];
  readonly body?: Syntax;
  /** Of an arrow function: its body is its result. */
  readonly expression?: boolean;
}

export interface Defaulted {
  readonly type: "AssignmentPattern";
  readonly left: Syntax;
}

export interface ArrayPattern {
  readonly type: "ArrayPattern";
}

export interface Import {
  readonly type: "ImportSpecifier" | "ImportNamespaceSpecifier" | "ImportDefaultSpecifier";
  readonly imported?: { readonly name?: string; readonly value?: unknown };
}

export type Syntax = { readonly parent?: Syntax } & (
  | Identifier
  | Member
  | Call
  | Tagged
  | Wrapping
  | Conditional
  | Logical
  | Assignment
  | Binary
  | Unary
  | ObjectLiteral
  | Property
  | Declarator
  | Closure
  | Defaulted
  | ArrayPattern
  | Import
);

export interface Definition {
  /** `Parameter`, `Variable`, `ImportBinding` or another kind. */
  readonly type: string;
  /** The function, the declarator, the import specifier. */
  readonly node: Syntax;
  readonly name: Syntax;
  /** The declaration around `node`. */
  readonly parent?: { readonly source?: { readonly value: unknown } } | null;
}

export interface Variable {
  readonly defs: readonly Definition[];
  readonly references: readonly {
    readonly init?: boolean | null;
    readonly writeExpr?: Syntax | null;
    isWrite(): boolean;
  }[];
}

interface ScopeOfNames {
  readonly set: { get(name: string): Variable | undefined };
  readonly upper: ScopeOfNames | null;
}

/** What ESLint 9 and 10 and oxlint hand to a rule, as far as it is used. */
export interface RuleContext {
  readonly options: readonly unknown[];
  readonly sourceCode: {
    getScope(node: Syntax): ScopeOfNames;
    getText(node: Syntax): string;
  };
  report(problem: {
    readonly node: Syntax;
    readonly messageId: string;
    readonly data: Readonly<Record<string, string>>;
  }): void;
}

/** What to look at, by type of node. */
export type Listeners = Record<string, Listener["look"]>;

/** A method, so that a listener may say which type of node it is for. */
interface Listener {
  look(node: unknown): void;
}

/** A rule as ESLint and oxlint take it. */
export interface LintRule {
  readonly meta: {
    readonly type: "problem";
    readonly docs: { readonly description: string };
    readonly messages: Record<string, string>;
    /** JSON Schema of the options. */
    readonly schema: { readonly [keyword: string]: unknown }[];
  };
  /** Called with a `RuleContext`; written so that the linters' own types of a context fit. */
  readonly create: (context: never) => Listeners;
}

/** The variable that an identifier means, as the language looks it up; undefined: a global. */
export function variableOf({ sourceCode }: RuleContext, identifier: Identifier & Syntax): Variable | undefined {
  for (let scope: ScopeOfNames | null = sourceCode.getScope(identifier); scope !== null; scope = scope.upper) {
    const found = scope.set.get(identifier.name);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The name of a field, when it is written out: `a.name`, `a["name"]`, `{ name: … }`. */
export function fieldName(key: Syntax, computed: boolean): string | undefined {
  if (key.type === "Identifier" && !computed) return key.name;
  const { value } = key as { readonly value?: unknown };
  return typeof value === "string" ? value : undefined;
}
