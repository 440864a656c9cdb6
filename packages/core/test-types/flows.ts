// Whole workflows of the authoring prototype, restricted to what is built. They compile, and `outputs.ts` says to what.
import {
  op,
  graph,
  each,
  collect,
  reduce,
  cell,
  push,
  read,
  derive,
  text,
  orElse,
  present,
  filter,
  append,
  type Item,
  type Item2,
  type Ref,
} from "../src/index.ts";
import { z } from "zod";

// nightly document pipeline
const listDocs = op("listDocs", async function* (_i: { since: string }) {
  yield { path: "p", size: 1 };
});
const parse = op("parse", async (_i: { path: string }) => ({ text: "t", lang: "en", valid: true as boolean }));
const index = op("index", async (_i: { path: string; text: string }) => ({ chunks: 3 }));
const mail = op("mail", async (_i: { body: string }) => ({}));
export const nightly = graph("nightly", (input: Ref<{ since: string }>) => {
  const doc = listDocs({ since: input.since });
  const p = parse({ path: doc.path }, { parallel: 8 });
  const good = filter(p, p.valid);
  const ix = index({ path: doc.path, text: good.text });
  const rows = collect({ path: doc.path, chunks: ix.chunks }, { errors: "settle" });
  const body = derive(rows, (r) =>
    r.map((x) => (x.ok ? `${x.value.path} ${x.value.chunks}` : `${x.error.path} failed ${x.error.message}`)).join("\n"),
  );
  mail({ body });
  return { rows };
});

// token streams inside a stream
const hear = op("hear", async function* (_i: { call: string }) {
  yield { text: "hi", speech: true };
});
const chat = op("chat", async function* (_i: { prompt: string }) {
  yield { delta: "x" };
});
const speak = op("speak", async (_i: { text: string }) => ({ ms: 10 }));
export const voice = graph("voice", (input: Ref<{ call: string }>) => {
  const u = hear({ call: input.call });
  const d = chat({ prompt: u.text });
  const s = speak({ text: d.delta }, { buffer: 16 });
  return { ms: s.ms, said: collect(collect(d.delta)), call: input.call };
});
export const callCenter = graph("callCenter", (input: Ref<{ calls: string[] }>) => {
  const v = voice({ call: each(input.calls) });
  const perCall: Ref<string[][], Item> = v.said;
  return { longest: collect(derive(perCall, (s) => s.length)) };
});

// nested map-reduce
const chapters = op("chapters", async (_i: { book: string }) => ({ list: [{ title: "t", paragraphs: ["p"] }] }));
const gist = op("gist", async (_i: { paragraph: string; title: string }) => ({ point: "p" }));
const chapterSummary = op("chapterSummary", async (_i: { title: string; points: string[] }) => ({ text: "t" }));
const bookSummary = op("bookSummary", async (_i: { chapters: string[] }) => ({ text: "t" }));
export const digest = graph("digest", (input: Ref<{ book: string }>) => {
  const ch = each(chapters({ book: input.book }).list);
  const g = gist({ paragraph: each(ch.paragraphs), title: ch.title }, { parallel: 8 });
  const cs = chapterSummary({ title: ch.title, points: collect(g.point) });
  return { text: bookSummary({ chapters: collect(cs.text) }).text };
});

// evaluation
const target = op("target", async (_i: { question: string }) => ({ answer: "a" }));
const judge = op("judge", async (_i: { answer: string; expected: string }) => ({
  score: 1,
  verdict: "pass" as "pass" | "fail",
}));
const log = cell("log", append<string>());
export const evaluate = graph(
  "evaluate",
  (input: Ref<{ cases: { question: string; expected: string; tag?: string }[] }>) => {
    const c = each(input.cases);
    const t = target({ question: c.question }, { parallel: 16, retry: { attempts: 2 } });
    const j = judge({ answer: t.answer, expected: c.expected }, { parallel: 4 });
    const saved = push(log, j.verdict);
    const mean = reduce(
      "mean",
      { score: j.score, tag: c.tag },
      { n: 0, sum: 0 },
      (a, s) => ({ n: a.n + 1, sum: a.sum + s.score }),
      { errors: "skip" },
    );
    const rows = collect({ q: c.question, score: j.score, verdict: j.verdict }, { errors: "settle" });
    return { mean: derive(mean, (m) => m.sum / m.n), rows, log: read(log, { after: [saved] }) };
  },
);

// a library graph, called twice
const summarise = op(
  "summarise",
  { input: z.object({ text: z.string() }), output: z.object({ text: z.string() }) },
  async ({ text: t }) => ({ text: t }),
);
export const summary = graph("summary", (input: Ref<{ text: string }>) => summarise(input));
export const both = graph("both", (input: Ref<{ text: string; title?: string }>) => {
  const fast = summary({ text: input.text }, { name: "fast" });
  const deep = summary(input, { name: "deep" });
  const heading = text`Title: ${orElse(input.title, "untitled")}`;
  const j = judge({ answer: deep.text, expected: fast.text });
  return { fast: fast.text, deep: deep.text, heading, j };
});

// a stream and a value out of a subgraph, once and per item
const gen = op("gen", async function* (i: { x: string }) {
  yield { tok: i.x };
});
export const inner = graph("inner", (input: Ref<{ x: string }>) => {
  const g = gen({ x: input.x });
  return { tok: g.tok, whole: derive(collect(g.tok), (t) => t.join("")) };
});
export const outer = graph("outer", (input: Ref<{ xs?: string[] }>) => {
  const x = each(orElse(input.xs, []));
  const a = inner({ x: "one" });
  const b = inner({ x }, { name: "perItem" });
  const token: Ref<string, Item2> = b.tok;
  const whole: Ref<string, Item> = b.whole;
  return { one: a.whole, many: collect(whole), all: collect(collect(token)) };
});

// built from data
const draft = op("draft", async (i: { prompt: string }) => ({ text: i.prompt }));
export const dynamic = (langs: readonly string[]) =>
  graph("dynamic", (input: Ref<{ text: string }>) => ({
    all: Object.fromEntries(
      langs.map((l) => [l, draft({ prompt: text`to ${l}: ${input.text}` }, { name: `draft-${l}` }).text]),
    ),
  }));

// present, and a stream that is part of the output
const need = op("need", async (i: { x: string }) => ({ y: i.x, n: 1 as number | undefined }));
export const parts = graph("parts", (input: Ref<{ x: string }>) => {
  const s = gen({ x: input.x });
  const best = reduce("best", need({ x: s.tok }), { y: "" }, (a, i) => ({ y: a.y + i.y }));
  const only = present(need({ x: s.tok }, { name: "again" }).n);
  return { text: collect(s.tok), best, only, nested: { deep: [s.tok, input.x] } };
});

// names of domain parameters are never reserved
const odd = op(
  "odd",
  async (i: { id: string; name: string; start: number; stream: string[]; inputs: { length: number } }) => i,
);
export const oddNames = graph(
  "oddNames",
  (input: Ref<{ id: string; name: string; start: number; stream: string[]; inputs: { length: number } }>) => {
    const o = odd({ id: input.id, name: input.name, start: input.start, stream: input.stream, inputs: input.inputs });
    return { id: o.id, name: o.name, start: o.start, stream: o.stream, inputs: o.inputs.length };
  },
);
