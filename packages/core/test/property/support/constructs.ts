/** Which constructs the graphs of the cases were made of: of one that never came up nothing is shown. */
import { SlotKind, type Plan, type SlotPlan } from "../../../src/model/plan.ts";

type Has = (plan: Plan) => boolean;

function slot(has: (slot: SlotPlan) => boolean): Has {
  return ({ slots }) => slots.some(has);
}

/** What is not a kind of node of its own. */
const others: Readonly<Record<string, Has>> = {
  "nested streams": ({ scopes }) => scopes.some(({ depth }) => depth > 1),
  parallel: slot(({ laneCapacity }) => laneCapacity > 1),
  ordered: slot(({ ordered }) => ordered),
  buffer: ({ streams }) => streams.some(({ buffer }) => buffer < 1_024),
  dropOldest: ({ streams }) => streams.some(({ onFull }) => onFull === "dropOldest"),
  zip: slot(({ zip }) => zip !== null),
  "streams that leave a block": slot(({ feed }) => feed !== null),
  "collect fail": slot(({ collect }) => collect?.errors === "fail"),
  "collect skip": slot(({ collect }) => collect?.errors === "skip"),
  "collect settle": slot(({ collect }) => collect?.errors === "settle"),
  overwrite: slot(({ overwrites }) => overwrites),
  after: slot(({ dependencies }) => dependencies.some(({ after }) => after)),
  subgraph: slot(({ name }) => name.includes("/")),
  finalizers: ({ finalizers }) => finalizers.length > 0,
  retry: slot(({ policies }) => (policies?.retry?.attempts ?? 1) > 1),
  "onFailure raise": slot(({ policies }) => policies?.onFailure === "raise"),
  pure: slot(({ op }) => op?.effect === "pure"),
  idempotent: slot(({ op }) => op?.effect === "idempotent"),
  unsafe: slot(({ op }) => op?.effect === "unsafe"),
  inline: slot(({ op }) => op?.kind === "inline"),
  async: slot(({ op }) => op?.kind === "async"),
  generator: slot(({ op }) => op?.kind === "generator"),
  asyncGenerator: slot(({ op }) => op?.kind === "asyncGenerator"),
  "onResume verify": slot(({ op, stream }) => stream >= 0 && op?.onResume === "verify"),
  "onResume cursor": slot(({ op }) => op?.onResume === "cursor"),
  "onResume fail": slot(({ op }) => op?.onResume === "fail"),
  "onResume ephemeral": slot(({ op }) => op?.onResume === "ephemeral"),
  transient: slot(({ op }) => op?.transient === true),
  "questions with a time limit": slot(({ ask }) => ask !== null && ask.timeout > 0),
  "questions without": slot(({ ask }) => ask !== null && ask.timeout === 0),
};

/** Workflows are of none of these graphs: `workflows.test.ts` plays random ones. */
const elsewhere: ReadonlySet<string> = new Set(["deliver"]);

export class Constructs {
  /** Cases by what their graph has. */
  readonly cases: Record<string, number> = Object.fromEntries(
    [...Object.keys(SlotKind), ...Object.keys(others)].filter((name) => !elsewhere.has(name)).map((name) => [name, 0]),
  );

  add(plan: Plan): void {
    const kinds = new Set(plan.slots.map(({ kind }) => kind));
    for (const [name, kind] of Object.entries(SlotKind)) if (kinds.has(kind)) this.#count(name);
    for (const [name, has] of Object.entries(others)) if (has(plan)) this.#count(name);
  }

  #count(name: string): void {
    this.cases[name] = (this.cases[name] ?? 0) + 1;
  }

  /** Those that were in no graph. */
  get missing(): string[] {
    return Object.keys(this.cases).filter((name) => this.cases[name] === 0);
  }
}
