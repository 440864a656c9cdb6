/**
 * A ref stands for a value that a run will have. Where a graph is built it is an object: always truthy, never null, equal to
 * nothing. JavaScript has no hook for that, so that a condition on a ref cannot throw as arithmetic on it does.
 */
import { refsOf } from "./refs.ts";
import type {
  Assignment,
  Binary,
  Call,
  LintRule,
  Listeners,
  Logical,
  Member,
  RuleContext,
  Syntax,
  Unary,
} from "./syntax.ts";
import { variableOf } from "./syntax.ts";

const isA = `"{{ref}}" is a ref, and while the graph is built, when this runs,`;
const messages = {
  truth: `${isA} it is always true. Choose at run time: when("name", {{ref}}, () => …, () => …), given(…) if the value may be missing, or derive({{ref}}, (value) => …) for a condition made of it.`,
  not: `${isA} it is always true. Negate the value instead: derive({{ref}}, (value) => !value).`,
  default: `${isA} it is never missing and never false. Write orElse({{ref}}, …) for a default at run time, or derive({{ref}}, (value) => …) for a condition.`,
  equal: `${isA} it equals no value. Compare the value instead: derive({{ref}}, (value) => value === …), or route("name", {{ref}}, { … }) to choose by it.`,
  switch: `${isA} it equals no case. Choose at run time: route("name", {{ref}}, { … }), or match(…) for a discriminated union.`,
  optional: `${isA} it is never missing. Fields of refs are read with a plain "."; given(…) chooses by whether there is a value.`,
};

const equalities: readonly string[] = ["==", "===", "!=", "!=="];

type Tested = { readonly test: Syntax | null };

/** Options: `[{ modules }]`, more modules that Millrace's functions are imported from than its own. */
export const noRefInCondition: LintRule = {
  meta: {
    type: "problem",
    docs: { description: "refuse refs as truth values, in comparisons and as what has a default" },
    schema: [
      {
        type: "object",
        properties: { modules: { type: "array", items: { type: "string" } } },
        additionalProperties: false,
      },
    ],
    messages,
  },
  create: watchConditions,
};

function watchConditions(context: RuleContext): Listeners {
  const [options] = context.options as readonly [{ readonly modules?: readonly string[] }?];
  const isRef = refsOf(context, ["millrace", "@millrace/core", ...(options?.modules ?? [])]);

  const report = (messageId: keyof typeof messages, node: Syntax): void => {
    if (isRef(node)) context.report({ node, messageId, data: { ref: context.sourceCode.getText(node) } });
  };
  /** The left sides of `a && b` are looked at by themselves. */
  const truth = (node: Syntax | null): void => {
    if (node === null) return;
    if (node.type === "LogicalExpression") truth(node.right);
    else report("truth", node);
  };
  const test = (node: Tested): void => truth(node.test);
  const left = ({ operator, left: node }: Logical | Assignment): void => {
    const isDefault = operator.startsWith("??") || operator.startsWith("||");
    if (isDefault && node.type !== "LogicalExpression") report("default", node);
    else if (isDefault || operator.startsWith("&&")) truth(node);
  };
  const optional = (node: Syntax, { optional: asked }: Member | Call): void => {
    if (asked === true) report("optional", node);
  };

  return {
    IfStatement: test,
    ConditionalExpression: test,
    WhileStatement: test,
    DoWhileStatement: test,
    ForStatement: test,
    LogicalExpression: left,
    AssignmentExpression: left,
    UnaryExpression: ({ operator, argument }: Unary) => {
      if (operator !== "!") return;
      if (argument.type === "LogicalExpression") truth(argument);
      else report("not", argument);
    },
    BinaryExpression: ({ operator, left: a, right: b }: Binary) => {
      if (equalities.includes(operator)) report("equal", isRef(a) ? a : b);
    },
    SwitchStatement: ({ discriminant }: { readonly discriminant: Syntax }) => report("switch", discriminant),
    MemberExpression: (node: Member) => optional(node.object, node),
    CallExpression: (node: Call) => {
      optional(node.callee, node);
      if (isGlobalBoolean(context, node.callee) && node.arguments[0] !== undefined) truth(node.arguments[0]);
    },
  };
}

function isGlobalBoolean(context: RuleContext, callee: Syntax): boolean {
  if (callee.type !== "Identifier" || callee.name !== "Boolean") return false;
  const own = variableOf(context, callee);
  return own === undefined || own.defs.length === 0;
}
