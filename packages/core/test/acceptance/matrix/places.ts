/** The graph of a cell: the node in its place, and what must stand around it for the event to come about. */
import { z } from "zod";
import {
  collect,
  derive,
  each,
  fallback,
  graph,
  interrupt,
  loop,
  op,
  race,
  sweep,
  text,
  when,
  type Graph,
  type Ref,
  type Scope,
} from "../../../src/index.ts";
import { isStream, type Cell, type Kind, type Place } from "./cells.ts";
import { stage } from "./stage.ts";
import { cpu, hang, inline, items, later, laterItems, subgraph, type Act } from "./subjects.ts";

/** The matrix puts everything anywhere: what scopes the parts are of is what the build is asked. */
type AnyRef = Ref<string, Scope>;
type Loose = (...args: unknown[]) => Record<string, AnyRef>;

const subjects = {
  sync: inline,
  async: later,
  generator: items,
  "async generator": laterItems,
  cpu,
} as const;

const rival = op("rival", async ({ does }: { does: string }, ctx) => {
  if (does === "hang") await hang(ctx);
  if (does === "wait") await stage().failure;
  return { v: "rival" };
});

/** True as soon as as many nodes as asked for are at work in this life. */
const go = op("go", async ({ after }: { after: number }) => {
  await stage().begun(after);
  return { yes: true };
});

const acts: Record<Cell["event"], Act> = {
  ok: "ok",
  throw: "throw",
  timeout: "hang",
  cancel: "hang",
  sweep: "hang",
  interrupt: "ok",
  "retry-then-ok": "flaky",
};

const rivals: Record<Cell["event"], string> = {
  ok: "hang",
  throw: "wait",
  timeout: "wait",
  cancel: "hang",
  sweep: "hang",
  interrupt: "win",
  "retry-then-ok": "hang",
};

function policiesOf({ event }: Cell): object {
  if (event === "timeout") return { timeout: { run: 15 } };
  if (event === "retry-then-ok") return { retry: { attempts: 3, initial: 1, jitter: "none", on: () => true } };
  return {};
}

/** The node itself; of a stream, the list of its items. */
function node(cell: Cell, x: AnyRef, perItem: object): AnyRef {
  const act = acts[cell.event];
  const policies = policiesOf(cell);
  const asked = cell.event === "interrupt" ? ask(x) : x;
  if (cell.kind === "subgraph")
    return (subgraph(act, policies) as unknown as Loose)({ x: asked, act }, perItem)["v"] as AnyRef;
  const subject = subjects[cell.kind] as unknown as Loose;
  const made = subject({ x: asked, act }, { ...policies, ...perItem })["v"] as AnyRef;
  return isStream(cell.kind) ? listOf(made) : made;
}

function ask(x: AnyRef): AnyRef {
  return interrupt("ask", { x }, { answer: z.object({ x: z.string() }) }).x;
}

function listOf(ref: AnyRef): AnyRef {
  return collect(ref as never) as unknown as AnyRef;
}

const around: Record<Exclude<Place, "item">, (cell: Cell, x: AnyRef) => AnyRef> = {
  root: (cell, x) => node(cell, x, {}),
  loop: (cell, x) =>
    (
      loop("turns", { max: 3 }, { n: 0 }, (s) => {
        const v = node(cell, x, {});
        const until = derive([s.n, v] as never, ([n]: [number]) => n >= 1);
        return { next: { n: derive(s.n, (n) => n + 1) }, until, result: { v } } as never;
      }) as unknown as Record<string, AnyRef>
    )["v"] as AnyRef,
  arm: (cell, x) =>
    when("gate", derive(x, (value) => value !== "") as never, () => ({ v: node(cell, x, {}) }), () => ({ v: "else" })).v, // prettier-ignore
  race: (cell, x) =>
    race("first", {
      subject: () => ({ v: node(cell, x, {}) }),
      rival: () => ({ v: rivalFor(cell, x) }),
    }).v,
  fallback: (cell, x) =>
    fallback(
      "safe",
      () => ({ v: node(cell, x, {}) }),
      (error) => ({ v: text`caught ${error.code}` }),
    ).v,
};

/** It is of the item that the subject is of. */
function rivalFor({ event }: Cell, x: AnyRef): AnyRef {
  return (rival as unknown as Loose)({ does: derive(x, () => rivals[event]) })["v"] as AnyRef;
}

export const input = { x: "a", xs: ["a", "b"] };

export function graphOf(cell: Cell): Graph<typeof input, { out: unknown }> {
  return graph("g", (from: Ref<typeof input>) => ({ out: bodyOf(cell, from) })) as never;
}

function bodyOf(cell: Cell, from: Ref<typeof input>): unknown {
  const { place, event } = cell;
  if (event === "sweep") return swept(cell, from);
  if (place === "item") return listOf(node(cell, each(from.xs) as AnyRef, { parallel: 2 }));
  return around[place](cell, from.x);
}

/** A sweep reaches items: all but the node of the run itself stand in one. */
function swept(cell: Cell, from: Ref<typeof input>): unknown {
  const { place } = cell;
  if (place === "root") {
    const subject = (subjects[cell.kind as Exclude<Kind, "subgraph">] ?? later) as unknown as Loose;
    const made = subject({ x: from.x, act: "hang" })["v"] as AnyRef;
    sweep("stop", { on: go({ after: 1 }).yes, cancel: [made] });
    return isStream(cell.kind) ? listOf(made) : made;
  }
  const item = each(from.xs) as AnyRef;
  const out = place === "item" ? node(cell, item, { parallel: 2 }) : around[place](cell, item);
  const atWork = place === "item" ? 2 : 1;
  sweep("stop", { on: go({ after: place === "race" ? 2 : atWork }).yes, cancel: [item] });
  return listOf(out);
}
