import { buildError, errorOf } from "../base/error.ts";
import { isName } from "../base/name.ts";
import { checkCount, checkKeys } from "../build/options.ts";
import { checkShape } from "./check-shape.ts";
import { compiled, programBehind } from "./compiled.ts";
import { START, START_NAME, type END } from "./names.ts";
import { checkNodeOptions, nodesOf, sourceOf, targetOf, targetsOf } from "./node-names.ts";
import type { BranchShape, Child, GraphShape, JoinShape, NodeOptions, NodeShape, Questions } from "./shape.ts";
import type { StateModel } from "./state-def.ts";

type Target = string | typeof END;
type Edges = ReadonlyMap<string, readonly (string | null)[]>;

/** What has been declared of a state graph so far; typed by `StateGraphBuilder`. */
export class Declaration {
  readonly #name: string;
  readonly #version: string;
  readonly #model: StateModel;
  readonly #declared: readonly string[];
  readonly #nodes: Map<string, NodeShape> = new Map();
  readonly #edges: Map<string, (string | null)[]> = new Map();
  readonly #joins: JoinShape[] = [];
  readonly #branches: Map<string, BranchShape[]> = new Map();

  constructor(name: string, version: string, model: StateModel, declared: readonly string[]) {
    this.#name = name;
    this.#version = version;
    this.#model = model;
    this.#declared = declared;
  }

  node(name: string, body: NodeShape["body"], options: NodeOptions<Questions> = {}): this {
    return this.#add({ name, body, options, routed: null, child: null });
  }

  routed(name: string, to: readonly Target[], body: NodeShape["body"], options: NodeOptions<Questions> = {}): this {
    const what = `the targets of ${name} of state graph ${this.#name}`;
    const routed = targetsOf(what, to);
    if (routed.length === 0) throw buildError(`${what} are none`, "name where it may go, END among them if it may end");
    return this.#add({ name, body, options, routed, child: null });
  }

  subgraph(name: string, graph: object, maps: Omit<Child, "program">): this {
    const program = programBehind(graph);
    if (program === undefined)
      throw buildError(
        `subgraph ${name} of state graph ${this.#name} is no compiled state graph`,
        "pass what compile() gave",
      );
    const { enter, leave } = (maps ?? {}) as Partial<Omit<Child, "program">>;
    if (typeof enter !== "function" || typeof leave !== "function")
      throw buildError(
        `subgraph ${name} of state graph ${this.#name} does not say what goes in and out`,
        "give { enter: (state) => input, leave: (state) => update }",
      );
    return this.#add({ name, body: () => undefined, options: {}, routed: null, child: { program, enter, leave } });
  }

  #add(node: NodeShape): this {
    const { name, body } = node;
    if (typeof name !== "string" || !isName(name) || name === "otherwise" || name === "__proto__")
      throw buildError(
        `${JSON.stringify(name)} cannot name a node of state graph ${this.#name}`,
        "names match [A-Za-z_][A-Za-z0-9_-]{0,63}",
        "BadName",
      );
    if (typeof body !== "function")
      throw buildError(
        `node ${name} of state graph ${this.#name} has no body`,
        "write node(name, (state, to) => to.write({ … }))",
      );
    checkNodeOptions(`node ${name} of state graph ${this.#name}`, node.options);
    if (this.#nodes.has(name)) throw errorOf("DuplicateNode", { graph: this.#name, node: name });
    this.#nodes.set(name, node);
    return this;
  }

  entry(...nodes: readonly string[]): this {
    for (const node of nodes) this.edge(START, node);
    return this;
  }

  edge(from: string | typeof START, to: Target): this {
    const where = `${from === START ? "an entry" : "an edge"} of state graph ${this.#name}`;
    listOf(this.#edges, sourceOf(where, from)).push(targetOf(where, to));
    return this;
  }

  join(from: readonly string[], to: string, options: { readonly sameStep?: boolean } = {}): this {
    const where = `a join of state graph ${this.#name}`;
    checkKeys(where, options, ["sameStep"]);
    const target = targetOf(where, to);
    if (target === null)
      throw buildError(
        `${where} leads to END`,
        "paths end by themselves: write edge(node, END) for each, or join before a node",
      );
    const sources = new Set(nodesOf(`the sources of ${where}`, from));
    this.#joins.push({ from: [...sources], to: target, sameStep: options.sameStep === true });
    return this;
  }

  branch(from: string | typeof START, pick: BranchShape["pick"], targets?: readonly Target[]): this {
    const source = sourceOf(`a branch of state graph ${this.#name}`, from);
    if (typeof pick !== "function")
      throw buildError(
        `a branch of state graph ${this.#name} has no function`,
        'write branch(from, (state) => "node")',
      );
    const named =
      targets === undefined ? null : targetsOf(`the targets of a branch of state graph ${this.#name}`, targets);
    listOf(this.#branches, source).push({ from: source, pick, targets: named });
    return this;
  }

  compile(
    options: {
      readonly limit?: number;
      readonly pauseBefore?: readonly string[];
      readonly pauseAfter?: readonly string[];
    } = {},
  ): unknown {
    const where = `compile() of state graph ${this.#name}`;
    checkKeys(where, options, ["limit", "pauseBefore", "pauseAfter"]);
    const shape: GraphShape = {
      name: this.#name,
      version: this.#version,
      model: this.#model,
      nodes: new Map(this.#nodes),
      edges: withEntry([...this.#nodes.keys()], this.#edges, this.#branches),
      joins: [...this.#joins],
      branches: new Map(this.#branches),
      limit: checkCount(where, "limit", options.limit ?? 25),
      pauseBefore: new Set(nodesOf(`pauseBefore of ${where}`, options.pauseBefore ?? [])),
      pauseAfter: new Set(nodesOf(`pauseAfter of ${where}`, options.pauseAfter ?? [])),
    };
    checkShape(shape, this.#declared);
    return compiled(shape);
  }
}

/** One node needs no entry. */
function withEntry(nodes: readonly string[], edges: Edges, branches: ReadonlyMap<string, unknown>): Edges {
  const [only] = nodes;
  if (nodes.length !== 1 || only === undefined || edges.has(START_NAME) || branches.has(START_NAME))
    return new Map(edges);
  return new Map([...edges, [START_NAME, [only]]]);
}

function listOf<V>(map: Map<string, V[]>, key: string): V[] {
  const list = map.get(key) ?? [];
  map.set(key, list);
  return list;
}
