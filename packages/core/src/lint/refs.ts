/**
 * Which expressions are refs, by data flow within one file and without types. Refs are
 *
 * - the parameters of the closures that wire nodes: of `graph` and of the control blocks;
 * - what Millrace's functions return, `each`, `derive`, `when`, `text` and the others;
 * - what a call of an op, graph, prompt or helper of one expression returns that is declared in the file, or of an imported
 *   function that is given an object with a ref in it;
 * - what is declared as `Ref<…>` or `RefOf<…>`;
 * - fields of refs, destructured or not, and variables that hold nothing else.
 *
 * When in doubt an expression is none: a rule that is wrong is turned off.
 */
import { type Imported, importedBy } from "./imports.ts";
import {
  type Call,
  type Closure,
  type Definition,
  fieldName,
  type ObjectLiteral,
  type RuleContext,
  type Syntax,
  type Variable,
  variableOf,
} from "./syntax.ts";

/** Their closures wire nodes, and are called with refs. */
const blocks: ReadonlySet<string> = new Set("graph when given match route loop race fallback onEnd".split(" "));

const givesRef: ReadonlySet<string> = new Set(
  [
    "when given match route loop race fallback fail",
    "each collect reduce final derive orElse filter present text zip",
    "push read ingress egress sweep emit interrupt sleep",
    "storeGet storePut storeSearch storeDelete",
  ].flatMap((names) => names.split(" ")),
);

/** Calls of what these return give refs. */
const makesCallable: ReadonlySet<string> = new Set(["op", "graph", "prompt"]);

const refTypes: ReadonlySet<string> = new Set(["Ref", "RefOf"]);

export type IsRef = (node: Syntax) => boolean;

/** @param modules where Millrace's functions are imported from */
export function refsOf(context: RuleContext, modules: readonly string[]): IsRef {
  return new RefFlow(context, modules).isRef;
}

class RefFlow {
  readonly #context: RuleContext;
  readonly #modules: readonly string[];
  readonly #variables = new Map<Variable, boolean>();
  /** Helpers whose result is being looked at. */
  readonly #asked = new Set<Syntax>();

  constructor(context: RuleContext, modules: readonly string[]) {
    this.#context = context;
    this.#modules = modules;
  }

  readonly isRef = (node: Syntax): boolean => {
    switch (node.type) {
      case "Identifier": {
        const variable = variableOf(this.#context, node);
        return variable !== undefined && this.#holdsRefs(variable);
      }
      case "MemberExpression":
        return this.isRef(node.object) || this.#isRefField(node.object, fieldName(node.property, node.computed));
      case "CallExpression":
        return this.#returnsRef(node);
      case "TaggedTemplateExpression":
        return this.#ourName(node.tag) === "text";
      default:
        return madeOf(node)?.every(this.isRef) ?? false;
    }
  };

  /** All that is ever put into the variable is a ref. One that is undefined at first, say, may well be asked for it. */
  #holdsRefs(variable: Variable): boolean {
    const known = this.#variables.get(variable);
    if (known !== undefined) return known;
    // One that is made of itself, as in `x = f({ x })`, is judged by the rest.
    this.#variables.set(variable, true);
    const [definition, ...others] = variable.defs;
    const holds =
      definition !== undefined &&
      others.length === 0 &&
      this.#defines(definition) &&
      variable.references.filter(isLaterWrite).every(({ writeExpr }) => writeExpr && this.isRef(writeExpr));
    this.#variables.set(variable, holds);
    return holds;
  }

  #defines({ type, node, name }: Definition): boolean {
    if (name.type === "Identifier" && this.#saysRef(name)) return true;
    if (type === "Variable" && node.type === "VariableDeclarator") {
      return node.init !== null && node.id.type !== "ArrayPattern" && this.isRef(node.init);
    }
    return type === "Parameter" && isClosure(node) && this.#wiresNodes(node);
  }

  /** An optional parameter, `name?: Ref<string>`, may well be asked for whether it was given. */
  #saysRef({ typeAnnotation, optional }: Extract<Syntax, { type: "Identifier" }>): boolean {
    if (optional === true) return false;
    const type = typeAnnotation?.typeAnnotation;
    return type?.typeName !== undefined && refTypes.has(this.#ourName(type.typeName as Syntax) ?? "");
  }

  /** Given to `graph` or a block: as an argument, or as an arm in an object. */
  #wiresNodes(closure: Closure & Syntax): boolean {
    const { parent } = closure;
    const given = parent?.type === "Property" && parent.value === closure ? parent.parent : closure;
    const call = given?.parent;
    return (
      call?.type === "CallExpression" &&
      call.arguments.some((argument) => argument === given) &&
      blocks.has(this.#ourName(call.callee) ?? "")
    );
  }

  #returnsRef({ callee, arguments: given }: Call): boolean {
    const imported = this.#imported(callee);
    if (imported?.ours === true) return imported.name !== undefined && givesRef.has(imported.name);
    const [input] = given;
    if (imported !== undefined) return input?.type === "ObjectExpression" && this.#holdsARef(input);
    return callee.type === "Identifier" && this.#isCallable(callee);
  }

  /** `const fetchPage = op(…)`, or a helper that is one expression: `const ask = (q) => model({ q }).answer`. */
  #isCallable(callee: Extract<Syntax, { type: "Identifier" }>): boolean {
    const init = this.#constantInit(callee);
    if (init?.type === "ArrowFunctionExpression") return this.#givesRef(init);
    return init?.type === "CallExpression" && makesCallable.has(this.#ourName(init.callee) ?? "");
  }

  /** One that calls itself gives nothing that is known. */
  #givesRef(helper: Closure & Syntax): boolean {
    if (helper.expression !== true || helper.body === undefined || this.#asked.has(helper)) return false;
    this.#asked.add(helper);
    const gives = this.isRef(helper.body);
    this.#asked.delete(helper);
    return gives;
  }

  #isRefField(object: Syntax, field: string | undefined): boolean {
    const init = this.#constantInit(object);
    if (init?.type !== "ObjectExpression" || field === undefined) return false;
    const value = valuesOf(init).find(([name]) => name === field)?.[1];
    return value !== undefined && this.isRef(value);
  }

  #holdsARef(object: ObjectLiteral): boolean {
    return valuesOf(object).some(
      ([, value]) => this.isRef(value) || (value.type === "ObjectExpression" && this.#holdsARef(value)),
    );
  }

  /** What the variable was declared with, if nothing is written to it later. */
  #constantInit(node: Syntax): Syntax | undefined {
    if (node.type !== "Identifier") return undefined;
    const variable = variableOf(this.#context, node);
    const definition = variable?.defs[0];
    if (definition?.type !== "Variable" || definition.node.type !== "VariableDeclarator") return undefined;
    if (definition.node.id.type !== "Identifier") return undefined;
    return variable!.references.some(isLaterWrite) ? undefined : (definition.node.init ?? undefined);
  }

  #ourName(node: Syntax): string | undefined {
    const imported = this.#imported(node);
    return imported?.ours === true ? imported.name : undefined;
  }

  #imported(node: Syntax): Imported | undefined {
    return importedBy(this.#context, this.#modules, node);
  }
}

/** What an expression takes its value from: it is a ref if all of that are. */
function madeOf(node: Syntax): readonly Syntax[] | undefined {
  switch (node.type) {
    case "ConditionalExpression":
      return [node.consequent, node.alternate];
    case "LogicalExpression":
      return [node.left, node.right];
    case "AssignmentExpression":
      return [node.right];
    case "ChainExpression":
    case "ParenthesizedExpression":
    case "TSAsExpression":
    case "TSNonNullExpression":
    case "TSSatisfiesExpression":
    case "TSTypeAssertion":
      return [node.expression];
    default:
      return undefined;
  }
}

function isLaterWrite(reference: Variable["references"][number]): boolean {
  return reference.init !== true && reference.isWrite();
}

function valuesOf({ properties }: ObjectLiteral): (readonly [name: string | undefined, value: Syntax])[] {
  return properties.flatMap((property) =>
    property.type === "Property" ? [[fieldName(property.key, property.computed), property.value] as const] : [],
  );
}

function isClosure(node: Syntax): node is Closure & Syntax {
  return node.type === "ArrowFunctionExpression" || node.type === "FunctionExpression";
}
