/**
 * The runs of which golden journals are kept. A graph whose journals were released may not change any more: a next version
 * of it is another scenario, with another name, and the old one stays beside it.
 */
import type { Interrupt, Provision, Runnable } from "../../src/index.ts";
import { provide } from "../../src/index.ts";
import {
  agent,
  digest,
  dynamic,
  etl,
  evaluate,
  form,
  nightly,
  order,
  rag,
  research,
  stepper,
  support,
} from "../acceptance/prototype/flows.ts";
import { Big, both, Chat } from "../acceptance/prototype/library.ts";

export interface Scenario {
  readonly name: string;
  readonly graph: Runnable<never, unknown>;
  readonly input: unknown;
  /** Absent: the run is left waiting. */
  readonly answer?: (question: Interrupt) => unknown;
  readonly context?: unknown;
  readonly resources?: readonly Provision[];
  /**
   * Whether a run that crashed anywhere comes to the same: not with unsafe ops, which are not run twice, nor where which
   * of two is faster decides.
   */
  readonly repeats: boolean;
}

const approve = (): unknown => ({ approved: true, note: "fine" });
const generate = (name: string): { generate: (prompt: string) => Promise<string> } => ({
  generate: async (prompt) => `${name}(${prompt})`,
});

export const scenarios: readonly Scenario[] = [
  { name: "support", graph: support, input: { ticket: "billing!", from: "me" }, answer: approve, repeats: false },
  { name: "support-waiting", graph: support, input: { ticket: "other!", from: "me" }, repeats: true },
  { name: "rag-fallback", graph: rag, input: { q: "hard", k: 0 }, repeats: true },
  { name: "nightly-settled", graph: nightly, input: { since: "monday" }, repeats: true },
  {
    name: "agent-loop",
    graph: agent,
    input: { messages: [{ role: "user", content: "go" }] },
    answer: approve,
    repeats: true,
  },
  { name: "digest-streams", graph: digest, input: { book: "b" }, repeats: true },
  { name: "research-race", graph: research, input: { topic: "t" }, repeats: false },
  { name: "etl-zip", graph: etl, input: { l: "l", r: "r" }, repeats: true },
  { name: "order-saga", graph: order, input: { sku: "pen", card: "visa", cents: 5 }, repeats: false },
  {
    name: "form-loop",
    graph: form,
    input: { user: "u" },
    answer: ({ payload }) => {
      const { problem } = payload as { problem: string | undefined };
      return { email: "a@b.example", age: problem === undefined ? "7" : "30" };
    },
    repeats: true,
  },
  {
    name: "evaluate-cells",
    graph: evaluate,
    input: {
      cases: [
        { question: "a", expected: "A" },
        { question: "b", expected: "?" },
      ],
    },
    repeats: true,
  },
  {
    name: "library-context",
    graph: both,
    input: { text: "t", title: "T" },
    context: { user: "me:" },
    resources: [provide(Chat, generate("chat")), provide(Big, generate("big"))],
    repeats: true,
  },
  { name: "stepper-arms", graph: stepper, input: { q: "tool" }, repeats: true },
  { name: "dynamic", graph: dynamic(["de", "fr"]), input: { text: "hi" }, repeats: true },
];
