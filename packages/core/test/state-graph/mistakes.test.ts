/** What JavaScript lets people write, and the compiler would not. */
import { expect, test } from "vitest";
import { append, END, MillraceError, openEngine, START, stateGraph, type StateGraph } from "../../src/index.ts";

interface Loose {
  readonly [call: string]: (...given: unknown[]) => Loose;
}

type Written = (g: Loose) => unknown;

const write = stateGraph as unknown as (...given: unknown[]) => Loose;
const nothing = (): undefined => undefined;
const schema = { "~standard": { version: 1, vendor: "test", validate: (value: unknown) => ({ value }) } };

function abc(): Loose {
  const g = write("g", { state: { log: append<string>() }, nodes: ["a", "b", "c"] });
  return g["node"]!("a", nothing)["node"]!("b", nothing)["node"]!("c", nothing)["entry"]!("a");
}

function refusal(act: () => unknown): { readonly isOurs: boolean; readonly text: string } {
  try {
    act();
  } catch (error) {
    return { isOurs: error instanceof MillraceError && error.hint !== undefined, text: String(error) };
  }
  return { isOurs: false, text: "nothing was refused" };
}

const wiring: Readonly<Record<string, readonly [Written, RegExp]>> = {
  "a join of a text": [(g) => g["join"]!("ab", "c"), /sources of a join of state graph g are a string/],
  "a join of nothing": [(g) => g["join"]!(undefined, "c"), /sources of a join of state graph g are undefined/],
  "a join of numbers": [(g) => g["join"]!([1], "c"), /names a number/],
  "a join to the end": [(g) => g["join"]!(["a"], END), /leads to END/],
  "a join with options that are null": [
    (g) => g["join"]!(["a"], "c", null),
    /options of a join of state graph g are null/,
  ],
  "a breakpoint that is a text": [
    (g) => g["compile"]!({ pauseBefore: "a" }),
    /pauseBefore of compile\(\) .* are a string/,
  ],
  "a breakpoint that is a number": [
    (g) => g["compile"]!({ pauseAfter: 3 }),
    /pauseAfter of compile\(\) .* are a number/,
  ],
  "targets that are a record": [
    (g) => g["branch"]!("a", nothing, { yes: "b" }),
    /targets of a branch .* are an object/,
  ],
  "targets that are a text": [(g) => g["branch"]!("a", nothing, "b"), /targets of a branch .* are a string/],
  "a target that is the start": [(g) => g["branch"]!("a", nothing, [START]), /leads to START/],
  "a branch from the end": [(g) => g["branch"]!(END, nothing), /begins at END/],
  "an edge from the end": [(g) => g["edge"]!(END, "a"), /begins at END/],
  "an edge to the start": [(g) => g["edge"]!("a", START), /leads to START/],
  "an edge to nothing": [(g) => g["edge"]!("a"), /an edge of state graph g leads undefined/],
  "an edge from a list": [(g) => g["edge"]!(["a", "b"], "c"), /an edge of state graph g begins a list/],
  "an entry that is a list": [(g) => g["entry"]!(["a", "b"]), /an entry of state graph g leads a list/],
};

test.each(Object.entries(wiring))(
  "S08 %s is refused where it is written, and says what is wrong",
  (_what, [act, text]) => {
    expect(refusal(() => act(abc()))).toEqual({ isOurs: true, text: expect.stringMatching(text) as string });
  },
);

const one = (): Loose => write("g", { state: {}, nodes: ["a"] });

const nodes: Readonly<Record<string, readonly [() => unknown, RegExp]>> = {
  "options that are null": [() => one()["node"]!("a", nothing, null), /options of node a of state graph g are null/],
  "a misspelt option": [
    () => one()["node"]!("a", nothing, { retries: 3 }),
    /node a of state graph g has no option "retries"[^]*"retry"/,
  ],
  "defer that is a text": [() => one()["node"]!("a", nothing, { defer: "no" }), /defer of node a .* is a string/],
  "questions in a list": [() => one()["node"]!("a", nothing, { asks: ["x"] }), /asks of node a .* is a list/],
  "a question that is null": [
    () => one()["node"]!("a", nothing, { asks: { x: null } }),
    /question x of node a .* are null/,
  ],
  "a question without an answer": [
    () => one()["node"]!("a", nothing, { asks: { x: {} } }),
    /question x of node a .* does not say/,
  ],
  "a question with a long name": [
    () => one()["node"]!("a", nothing, { asks: { ["x".repeat(64)]: { answer: schema } } }),
    /cannot name a question of node a/,
  ],
  "a name that is a number": [() => one()["node"]!(3, nothing), /3 cannot name a node/],
  "routed without targets": [() => one()["routed"]!("a", nothing), /targets of a of state graph g are a function/],
  "routed to nowhere": [() => one()["routed"]!("a", [], nothing), /targets of a of state graph g are none/],
  "a subgraph without maps": [
    () => one()["subgraph"]!("a", abc()["edge"]!("a", "b")["edge"]!("b", "c")["compile"]!()),
    /does not say what goes in and out/,
  ],
  "nodes that are no names": [() => write("g", { state: {}, nodes: [1] }), /nodes of state graph g names a number/],
  "fields in a list": [() => write("g", { state: [], nodes: ["a"] }), /how updates become state/],
};

test.each(Object.entries(nodes))("S08 a node with %s is refused where it is written", (_what, [act, text]) => {
  expect(refusal(act)).toEqual({ isOurs: true, text: expect.stringMatching(text) as string });
});

test("S08 a question may have the longest name, and is asked by it", async () => {
  const name = "q".repeat(63);
  const asking = one()["node"]!("a", (_state: unknown, to: Loose) => to["interrupt"]!(name), {
    asks: { [name]: { answer: schema } },
  })["compile"]!() as never as StateGraph<object, object>;
  const engine = await openEngine();
  const handle = await engine.start(asking, {});
  await expect.poll(() => handle.interrupts().map(({ node }) => node.endsWith(name))).toEqual([true]);
  await handle.cancel();
  await engine.close();
});

test.each([
  ["nothing", () => undefined, "NotATarget"],
  ["null", () => null, "NotATarget"],
  ["a number", () => 3, "NotSteps"],
  ["the start", () => START, "UnknownNode"],
  ["a node that is not there", () => "zz", "UnknownNode"],
])("S17 a branch that gives %s fails the run, and does not end the path without a word", async (_what, pick, code) => {
  const g = abc()["branch"]!("a", pick)["edge"]!("b", "c")["edge"]!("c", END)["compile"]!();
  const engine = await openEngine();
  const result = await (await engine.start(g as never, {})).result();
  expect(result).toMatchObject({ status: "failed", errors: [{ code }] });
  await engine.close();
});

test("a branch may give an empty list: then this path ends", async () => {
  const g = abc()["branch"]!("a", () => [])["edge"]!("b", "c")["edge"]!("c", END)["compile"]!();
  const engine = await openEngine();
  expect(await engine.run(g as never, { log: "x" })).toEqual({ log: ["x"] });
  await engine.close();
});

test.each([
  ["goto", /goes to undefined/],
  ["send", /goes to undefined/],
  ["interrupt", /asks "undefined"/],
])("a step that names nothing says so: %s", async (step, text) => {
  const g = one()["node"]!("a", (_state: unknown, to: Loose) => to[step]!())["compile"]!();
  const engine = await openEngine();
  const result = await (await engine.start(g as never, {})).result();
  expect(result).toMatchObject({ status: "failed", errors: [{ message: expect.stringMatching(text) as string }] });
  await engine.close();
});
