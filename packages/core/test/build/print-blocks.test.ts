/** Blocks as diagrams and as JSON. */
import { expect, test } from "vitest";
import { z } from "zod";
import {
  append,
  cell,
  collect,
  derive,
  each,
  fallback,
  graph,
  interrupt,
  loop,
  onEnd,
  op,
  push,
  race,
  read,
  sleep,
  text,
  when,
  type Ref,
} from "../../src/index.ts";

const send = op("send", async ({ to }: { to: string }) => ({ id: `sent ${to}` }));
const gen = op("gen", async function* (_i: { x: string }) {
  yield { tok: "t" };
});
const Approval = z.object({ approved: z.boolean(), note: z.string().optional() });

/** The lines between `flowchart` and the end. */
function drawn(made: { readonly plan: { mermaid(): string } }): string[] {
  return made.plan.mermaid().trimEnd().split("\n").slice(1);
}

const approval = graph("approval", (input: Ref<{ to: string; risk: number }>) => {
  const ok = when(
    "gate",
    derive(input.risk, (risk) => risk > 1),
    () =>
      interrupt(
        "approve",
        { text: text`send to ${input.to}?` },
        { answer: Approval, title: "Send it?", timeout: "3d" },
      ),
    () => ({ approved: true }),
  );
  const sent = when("deliver", ok.approved, () => send({ to: input.to }));
  onEnd("tidy", (end) => send({ to: end.status }, { name: "note" }));
  return { id: sent.id };
});

test("mermaid: a decision is a diamond with arrows to the boxes of its arms, and each arm's result says which it was", () => {
  expect(drawn(approval)).toEqual([
    '  n0(["input"])',
    '  n4{"gate"}',
    '  n9{"deliver"}',
    '  n12("tidy")',
    '  n15(["output"])',
    '  subgraph b0["gate/then"]',
    '    n3>"approve"]',
    "  end",
    '  subgraph b1["deliver/then"]',
    '    n8["send"]',
    "  end",
    '  subgraph b2["tidy"]',
    '    n11["note"]',
    "  end",
    "  n4 -->|then| b0",
    "  n9 -->|then| b1",
    "  n0 -->|derive| n3",
    "  n0 -->|derive| n4",
    "  n0 --> n8",
    "  n3 -->|then| n9",
    "  n4 -->|else| n9",
    "  n12 -->|end| n11",
    "  n8 -->|then| n15",
  ]);
});

test("mermaid: race arms, bodies and handlers, iterations per item, sleeps and streams that leave arms", () => {
  const made = graph("all", (input: Ref<{ q: string; xs: string[] }>) => {
    const won = race("r", {
      human: () => ({ by: derive(interrupt("ask", { q: input.q }, { answer: Approval }).note, (note) => `${note}`) }),
      slow: () => ({ by: send({ to: "late" }, { after: [sleep("nap", "30d")] }).id }),
    });
    const mended = fallback(
      "mend",
      () => send({ to: won.by }),
      (error) => send({ to: error.code }),
    );
    const turns = loop("turns", { max: 5 }, { n: 0, to: each(input.xs) }, (state) => {
      const { id } = send({ to: state.to });
      const n = derive(state.n, (count) => count + 1);
      return { next: { n, to: id }, until: derive(n, (count) => count > 3), result: { id } };
    });
    const live = when(
      "live",
      derive(input.q, (q) => q === ""),
      () => gen({ x: input.q }),
      () => gen({ x: "none" }),
    );
    const told = send({ to: live.tok }, { name: "tell" });
    return { id: mended.id, ids: collect(turns.id), told: collect(told.id) };
  });
  expect(drawn(made).map((line) => line.trim())).toEqual([
    'n0(["input"])',
    'n7{"r"}',
    'n11[/"mend"\\]',
    'n27{"live"}',
    'n39(["output"])',
    'subgraph b0["r/human"]',
    'n1>"ask"]',
    "end",
    'subgraph b1["r/slow"]',
    'n3(("nap"))',
    'n4["send"]',
    "end",
    'subgraph b2["mend/body"]',
    'n8["send"]',
    "end",
    'subgraph b3["mend/handler"]',
    'n10["send"]',
    "end",
    'subgraph b4["each of input.xs"]',
    'n21{{"turns"}}',
    'subgraph b5["turns"]',
    'n16["send"]',
    "end",
    "end",
    'subgraph b6["live/then"]',
    'n23[["gen"]]',
    "end",
    'subgraph b7["live/else"]',
    'n25[["gen"]]',
    "end",
    'subgraph b8["each of live.tok"]',
    'n34["tell"]',
    "end",
    "n27 -->|then| b6",
    "n27 -->|else| b7",
    "n0 --> n1",
    "n3 -.->|after| n4",
    "n1 -->|derive, human| n7",
    "n4 -->|slow| n7",
    "n7 --> n8",
    "n11 -->|error| n10",
    "n8 -->|body| n11",
    "n10 -->|handler| n11",
    "n21 -->|state| n16",
    "n0 -->|each| n21",
    "n21 -->|state, derive, derive, until| n21",
    "n16 -->|next| n21",
    "n16 -->|result| n21",
    "n0 --> n23",
    "n0 -->|derive| n27",
    "n23 -->|then| n34",
    "n25 -->|else| n34",
    "n11 --> n39",
    "n21 -->|collect| n39",
    "n34 -->|collect| n39",
  ]);
});

test("JSON: blocks name their bodies, nodes the body they are in, questions their title and time", () => {
  const { nodes } = approval.plan.toJSON();
  const node = (id: string): unknown => nodes.find((each) => each.id === id);
  expect(node("gate")).toEqual({ id: "gate", kind: "choose", needs: ["~1"], arms: ["then", "else"] });
  expect(node("gate/then/approve")).toEqual({
    id: "gate/then/approve",
    kind: "ask",
    in: "gate/then",
    needs: ["~2"],
    title: "Send it?",
    timeout: 259_200_000,
  });
  expect(node("tidy/note")).toMatchObject({ kind: "op", in: "tidy" });
  expect(node("tidy")).toEqual({ id: "tidy", kind: "finalizer", needs: [] });
});

test("findings: limits and times that nobody said, and what makes no sense", () => {
  const log = cell("log", append<boolean>());
  const { findings } = graph("g", (input: Ref<{ n: number; stop: boolean }>) => {
    const state = { n: input.n };
    const fixed = loop("fixed", { max: 3 }, state, (s) => ({
      next: { n: s.n },
      until: derive(input.stop, (stop) => stop),
    }));
    const open = loop("open", {}, state, (s) => ({
      next: { n: derive(s.n, (n) => n + 1) },
      until: derive(s.n, (n) => n > 3),
    }));
    const told = loop("told", { max: 9, onLimit: "exit" }, state, (s) => ({
      next: { n: s.n },
      until: derive(read(log, { after: [push(log, true)] }), (list) => list.length > 3),
    }));
    const alone = race("alone", { one: () => ({ ok: interrupt("sure", {}, { answer: Approval }).approved }) });
    return { fixed: fixed.n, open: open.n, told: told.n, ok: alone.ok };
  }).plan;
  expect(findings.map(({ level, code, node, message }) => [level, code, node, message])).toEqual([
    [
      "warning",
      "ConstantUntil",
      "fixed",
      "until of loop fixed reads nothing of its iteration: it is the same in each of them",
    ],
    ["info", "DefaultLimit", "open", "loop open fails after 1,000 iterations; max says otherwise"],
    [
      "info",
      "NoTimeout",
      "alone/one/sure",
      "interrupt alone/one/sure waits for its answer for ever; timeout says otherwise",
    ],
    ["warning", "RaceOfOne", "alone", "race alone has one arm: it has nobody to race against"],
  ]);
});

test("a race of streams in which one arm has none is refused", () => {
  expect(() =>
    graph("g", (input: Ref<{ q: string }>) => {
      const won = race("r", { a: () => ({ tok: gen({ x: input.q }).tok }), b: () => ({}) });
      return { all: collect(won.tok) };
    }),
  ).toThrow("arm b of race r returns no stream, and the others do");
});
