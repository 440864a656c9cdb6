// oxlint-disable typescript/no-unnecessary-type-assertion -- assertions of the prototype say what authors write
/**
 * The workflows of the authoring prototype, word for word; only their bodies were given something to do. `test-types`
 * says what they give, `prototype.test.ts` runs them.
 */
import { z } from "zod";
import {
  append,
  cell,
  collect,
  derive,
  each,
  emit,
  fail,
  fallback,
  filter,
  graph,
  interrupt,
  loop,
  match,
  op,
  orElse,
  push,
  race,
  read,
  reduce,
  route,
  sweep,
  text,
  when,
  zip,
  type Item,
  type Item3,
  type Ref,
} from "../../../src/index.ts";
import type { Msg, ToolCall } from "./messages.ts";
import { did, world } from "./world.ts";

const Approval = z.object({ approved: z.boolean(), note: z.string().optional() });

// 1 support triage with approval
const classify = op(
  "classify",
  { input: z.object({ ticket: z.string() }), retry: { attempts: 4 } },
  async ({ ticket }) => {
    const kinds = ["billing", "tech"] as const;
    const category: "billing" | "tech" | "other" = kinds.find((kind) => ticket.startsWith(kind)) ?? "other";
    await did(`classify ${ticket}`);
    return { category, risk: ticket.endsWith("!") ? 0.4 : 0.1, summary: ticket };
  },
);
export const draft = op("draft", async (i: { prompt: string }) => {
  await did(`draft ${i.prompt}`);
  return { text: i.prompt };
});
const send = op("send", { effect: "unsafe" }, async (i: { text: string; to: string }) => {
  await did(`send ${i.text} to ${i.to}`);
  return { id: `sent to ${i.to}` };
});
export const support = graph("support", (input: Ref<{ ticket: string; from: string }>) => {
  const c = classify({ ticket: input.ticket });
  const reply = route("kind", c.category, {
    billing: () => draft({ prompt: text`Answer this billing question: ${c.summary}` }),
    tech: () => draft({ prompt: text`Answer this technical question: ${c.summary}` }),
    other: () => ({ text: "We will come back to you" }),
  });
  const ok = when(
    "gate",
    derive(c.risk, (r) => r > 0.3),
    () => interrupt("approve", { text: reply.text }, { answer: Approval, timeout: "3d", default: { approved: false } }),
    () => ({ approved: true }),
  );
  const sent = when("deliver", ok.approved, () => send({ text: reply.text, to: input.from }));
  return { id: sent.id, note: ok.note };
});

// 2 RAG with fallback model
const retrieve = op("retrieve", async (i: { q: string; k?: number }) => {
  await did(`retrieve ${i.q} ${i.k ?? "all"}`);
  return { docs: [{ id: "a", text: "t", score: 1 }].slice(0, i.k ?? 1) };
});
const answerBig = op("answerBig", async (i: { q: string; docs: { id: string; text: string; score: number }[] }) => {
  await did(`answerBig ${i.q}`);
  if (i.q.startsWith("hard")) throw new Error("overloaded");
  return { answer: `${i.q} from ${i.docs.length}`, model: "big" as const };
});
const answerSmall = op("answerSmall", async (i: { q: string; docs: { text: string }[]; because: string }) => {
  await did(`answerSmall ${i.q}`);
  return { answer: `${i.q}, because ${i.because}`, model: "small" as const, degraded: true };
});
export const rag = graph("rag", (input: Ref<{ q: string; k?: number }>) => {
  const hits = retrieve({ q: input.q, k: input.k });
  const a = fallback(
    "answer",
    () => answerBig({ q: input.q, docs: hits.docs }),
    (e) => answerSmall({ q: input.q, docs: hits.docs, because: e.message }),
  );
  return {
    answer: a.answer,
    model: a.model,
    degraded: orElse(a.degraded, false),
    top: derive(hits.docs, (d) => d[0]?.id),
  };
});

// 3 nightly document pipeline
const listDocs = op("listDocs", async function* (i: { since: string }) {
  await did(`listDocs ${i.since}`);
  for (const path of ["a", "empty", "broken", "b"]) yield { path, size: 1 };
});
const parse = op("parse", async (i: { path: string }) => {
  await did(`parse ${i.path}`);
  return { text: `text of ${i.path}`, lang: "en", valid: i.path !== "empty" };
});
const index = op("index", async (i: { path: string; text: string }) => {
  await did(`index ${i.path}`);
  if (i.path === "broken") throw new Error(`no index for ${i.path}`);
  return { chunks: i.text.length };
});
const mail = op("mail", async (i: { body: string }) => {
  await did(`mail ${i.body}`);
  return {};
});
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

// 4 voice agent
export const hear = op("hear", async function* (i: { call: string }, ctx) {
  yield { text: `${i.call} story`, speech: true as boolean };
  await world.wait(`hear ${i.call}`, ctx.signal);
  yield { text: `${i.call} stop`, speech: true as boolean };
});
const chat = op("chat", { transient: true }, async function* (i: { prompt: string }, ctx) {
  yield { delta: `${i.prompt} 1` };
  await world.wait(`chat ${i.prompt}`, ctx.signal);
  yield { delta: `${i.prompt} 2` };
});
const speak = op("speak", async (i: { text: string }) => {
  await did(`speak ${i.text}`);
  return { ms: i.text.length };
});
export const voice = graph("voice", (input: Ref<{ call: string }>) => {
  const u = hear({ call: input.call });
  const d = chat({ prompt: u.text });
  emit("delta", { text: d.delta });
  const s = speak({ text: d.delta }, { buffer: 16 });
  sweep("bargeIn", { on: u.speech, cancel: [d, s] });
  return { ms: s.ms, said: collect(collect(d.delta)), call: input.call };
});
export const callCenter = graph("callCenter", (input: Ref<{ calls: string[] }>) => {
  const v = voice({ call: each(input.calls) });
  const perCall: Ref<string[][], Item> = v.said;
  const _audio: Ref<number, Item3> = v.ms;
  return { longest: collect(derive(perCall, (s) => s.length)) };
});

// 5 agent loop
const think = op("think", async (i: { messages: Msg[] }) => {
  const turn = i.messages.filter(({ role }) => role === "assistant").length;
  await did(`think ${i.messages.map(({ content }) => content).join("|")}`);
  const call = (id: string, destructive: boolean): ToolCall => ({ id, name: "tool", args: { id }, destructive });
  const calls: ToolCall[] = turn === 0 ? [call("read", false), call("rm", true), call("drop", true)] : [];
  const answer: string | undefined = turn === 0 ? undefined : `done after ${i.messages.length}`;
  const message: Msg = { role: "assistant", content: answer ?? "calling" };
  return { message, calls, answer };
});
const runTool = op("runTool", async (i: { call: ToolCall }) => {
  await did(`runTool ${i.call.id}`);
  const message: Msg = { role: "tool", content: `did ${i.call.id}` };
  return { message };
});
export const agent = graph("agent", (input: Ref<{ messages: Msg[] }>) => {
  const answer = loop("turns", { max: 12, onLimit: "exit" }, { messages: input.messages }, (s) => {
    const t = think({ messages: s.messages });
    const call = each(t.calls);
    const denied = (note: Ref<string | undefined, Item>) => ({
      message: derive([call.id, note], ([id, n]): Msg => ({ role: "tool", content: `denied ${id} ${n}` })),
    });
    const out = when(
      "risky",
      call.destructive,
      () => {
        const a = interrupt("approve", { call }, { answer: Approval });
        return when(
          "verdict",
          a.approved,
          () => runTool({ call }, { parallel: 4 }),
          () => denied(a.note),
        );
      },
      () => runTool({ call }, { parallel: 4 }),
    );
    const results = collect(out.message);
    const messages = derive([s.messages, t.message, results], ([a, b, c]) => [...a, b, ...c]);
    return {
      next: { messages },
      until: derive(t.calls, (c) => c.length === 0),
      result: { answer: t.answer, messages },
    };
  });
  return answer;
});

// 6 map-reduce, nested
const chapters = op("chapters", async (i: { book: string }) => {
  await did(`chapters ${i.book}`);
  return {
    list: [
      { title: "one", paragraphs: ["a", "b", "c"] },
      { title: "two", paragraphs: [] },
      { title: "three", paragraphs: ["d"] },
    ] as { title: string; paragraphs: string[] }[],
  };
});
const gist = op("gist", async (i: { paragraph: string; title: string }) => {
  await did(`gist ${i.title} ${i.paragraph}`);
  return { point: i.paragraph.toUpperCase() };
});
const chapterSummary = op("chapterSummary", async (i: { title: string; points: string[] }) => {
  await did(`chapterSummary ${i.title}`);
  return { text: `${i.title}: ${i.points.join("")}` };
});
const bookSummary = op("bookSummary", async (i: { chapters: string[] }) => {
  await did("bookSummary");
  return { text: i.chapters.join("; ") };
});
export const digest = graph("digest", (input: Ref<{ book: string }>) => {
  const ch = each(chapters({ book: input.book }).list);
  const g = gist({ paragraph: each(ch.paragraphs), title: ch.title }, { parallel: 8 });
  const cs = chapterSummary({ title: ch.title, points: collect(g.point) });
  return { text: bookSummary({ chapters: collect(cs.text) }).text };
});

// 7 race
const bing = op("bing", async (i: { q: string }, ctx) => {
  await world.wait(`bing ${i.q}`, ctx.signal);
  await did(`bing ${i.q}`);
  return { hits: [`bing ${i.q}`], took: 1 };
});
const brave = op("brave", async (i: { q: string }, ctx) => {
  await world.wait(`brave ${i.q}`, ctx.signal);
  await did(`brave ${i.q}`);
  return { hits: [`brave ${i.q}`], cost: 1 };
});
const queries = op("queries", async (i: { topic: string }) => {
  await did(`queries ${i.topic}`);
  return { list: ["x", "y"] };
});
const write = op("write", async (i: { topic: string; hits: string[][] }) => {
  await did("write");
  return { text: `${i.topic}: ${i.hits.flat().join(", ")}` };
});
export const research = graph("research", (input: Ref<{ topic: string }>) => {
  const q = each(queries({ topic: input.topic }).list);
  const hit = race("fastest", { bing: () => bing({ q }), brave: () => brave({ q }) });
  return { text: write({ topic: input.topic, hits: collect(hit.hits) }).text };
});

// 8 ETL with zip
const left = op("left", async function* (i: { file: string }) {
  for (const id of [1, 2, 3]) yield { id, a: `${i.file}${id}` };
});
const right = op("right", async function* (i: { file: string }) {
  for (const id of [1, 2, 3]) {
    await did(`right ${i.file} ${id}`);
    yield { id, b: id * 10 };
  }
});
const join = op("join", async (i: { id: number; a: string; b: number }) => {
  await did(`join ${i.id}`);
  return { row: `${i.id} ${i.a} ${i.b}`, cents: i.b };
});
export const etl = graph("etl", (input: Ref<{ l: string; r: string }>) => {
  const pair = zip({ l: left({ file: input.l }), r: right({ file: input.r }) });
  const j = join({ id: pair.l.id, a: pair.l.a, b: pair.r.b }, { parallel: 4 });
  const total = reduce("total", j.cents, 0, (a, c) => a + c, { errors: "skip" });
  return { total, rows: collect(j.row) };
});

// 9 saga
const reserve = op("reserve", { effect: "unsafe" }, async (i: { sku: string }) => {
  await did(`reserve ${i.sku}`);
  return { id: `r-${i.sku}` };
});
const charge = op("charge", { effect: "unsafe" }, async (i: { card: string; cents: number }) => {
  await did(`charge ${i.card} ${i.cents}`);
  if (i.card === "stolen") throw new Error("card refused");
  return { id: `c-${i.card}` };
});
const ship = op("ship", { effect: "unsafe" }, async (i: { reservation: string }) => {
  await did(`ship ${i.reservation}`);
  if (i.reservation === "r-heavy") throw new Error("too heavy");
  return { tracking: `t-${i.reservation}` };
});
const release = op("release", async (i: { id: string }) => {
  await did(`release ${i.id}`);
  return {};
});
const refund = op("refund", async (i: { id: string }) => {
  await did(`refund ${i.id}`);
  return {};
});
export const order = graph("order", (input: Ref<{ sku: string; card: string; cents: number }>) => {
  const r = reserve({ sku: input.sku });
  const done = fallback(
    "pay",
    () => {
      const c = charge({ card: input.card, cents: input.cents });
      return fallback(
        "ship",
        () => ship({ reservation: r.id }, { after: [c] }),
        (e) => fail("undo", { message: e.message, data: e }, { after: [refund({ id: c.id })] }),
      );
    },
    (e) => fail("undo", { message: text`order not placed: ${e.message}` }, { after: [release({ id: r.id })] }),
  );
  return { tracking: done.tracking };
});

// 10 form
const Form = z.object({ email: z.email(), age: z.coerce.number() });
const check = op("check", async (i: { email: string; age: number }) => {
  await did(`check ${i.email} ${i.age}`);
  const problem: string | undefined = i.age < 18 ? `${i.age} is too young` : undefined;
  return { ok: problem === undefined, problem };
});
export const form = graph("form", (input: Ref<{ user: string }>) => {
  return loop(
    "ask",
    { max: 5 },
    { problem: undefined as string | undefined, status: "open" as "open" | "done", tries: 0 },
    (s) => {
      const a = interrupt("form", { user: input.user, problem: s.problem }, { answer: Form, timeout: "3d" });
      const c = check({ email: a.email, age: a.age });
      return {
        next: { problem: c.problem, status: s.status, tries: derive(s.tries, (n) => n + 1) },
        until: c.ok,
        result: { email: a.email, tries: s.tries, status: s.status },
      };
    },
  );
});

// 11 evaluation
const target = op("target", async (i: { question: string }) => {
  await did(`target ${i.question}`);
  return { answer: i.question.toUpperCase() };
});
export const judge = op("judge", async (i: { answer: string; expected: string }) => {
  await did(`judge ${i.answer}`);
  if (i.expected === "?") throw new Error("nothing expected");
  const verdict: "pass" | "fail" = i.answer === i.expected ? "pass" : "fail";
  return { score: verdict === "pass" ? 1 : 0, verdict };
});
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

// a discriminated union from a model
export type Next = { type: "tool"; call: ToolCall } | { type: "final"; text: string };
const step = op("step", async (i: { q: string }): Promise<Next> => {
  await did(`step ${i.q}`);
  return i.q === "tool"
    ? { type: "tool", call: { id: "t", name: "tool", args: {}, destructive: false } }
    : { type: "final", text: i.q };
});
export const stepper = graph("stepper", (input: Ref<{ q: string }>) =>
  match("next", step({ q: input.q }), "type", {
    tool: (s) => runTool({ call: s.call }),
    final: (s) => ({ answer: s.text }),
  }),
);

// built from data
export const dynamic = (langs: readonly string[]) =>
  graph("dynamic", (input: Ref<{ text: string }>) => ({
    all: Object.fromEntries(
      langs.map((l) => [l, draft({ prompt: text`to ${l}: ${input.text}` }, { name: `draft-${l}` }).text]),
    ),
  }));
