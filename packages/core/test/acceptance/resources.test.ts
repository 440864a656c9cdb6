import { expect, test } from "vitest";
import {
  collect,
  each,
  graph,
  memory,
  op,
  openEngine,
  provide,
  resource,
  type EngineOptions,
  type Provision,
  type Ref,
} from "../../src/index.ts";
import { open, resumedOn } from "./support/engines.ts";
import { forever, gate } from "./support/gate.ts";
import { crashedBehind, recordingOf, rowsOf } from "./support/journal.ts";

interface Model {
  generate(prompt: string): Promise<string>;
}
const Chat = resource<Model>("chat");
const Big = resource<Model>("big");
const Huge = resource<Model>("huge");
const says = (name: string): Model => ({ generate: (prompt) => Promise.resolve(`${name}:${prompt}`) });

const summarise = op("summarise", { needs: { model: Chat } }, async ({ text }: { text: string }, ctx) => ({
  text: await ctx.resources.model.generate(text),
}));
const summary = graph("summary", (input: Ref<{ text: string }>) => ({ text: summarise({ text: input.text }).text }));

const models = [provide(Chat, says("chat")), provide(Big, says("big")), provide(Huge, says("huge"))];

async function refusalOf(options: EngineOptions): Promise<{ code: string; message: string }> {
  const error: unknown = await openEngine({ warn: () => undefined, ...options }).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error === undefined) throw new Error("it opened");
  return error as { code: string; message: string };
}

test("a body gets what the engine was given for its needs, made once for all runs", async () => {
  let made = 0;
  const engine = await open({
    resources: [
      provide(Chat, async () => {
        made++;
        await Promise.resolve();
        return says("chat");
      }),
    ],
  });
  expect(made).toBe(1);
  expect(await engine.run(summary, { text: "a" })).toEqual({ text: "chat:a" });
  expect(await engine.run(summarise, { text: "b" })).toEqual({ text: "chat:b" });
  expect(made).toBe(1);
});

test("bind at a graph call gives everything inside another resource; the inner binding applies first", async () => {
  const inner = graph("inner", (input: Ref<{ text: string }>) => ({
    plain: summarise({ text: input.text }, { name: "plain" }).text,
    own: summarise({ text: input.text }, { name: "own", bind: [Chat.to(Big)] }).text,
  }));
  const middle = graph("middle", (input: Ref<{ text: string }>) =>
    inner({ text: input.text }, { bind: [Big.to(Huge)] }),
  );
  const both = graph("both", (input: Ref<{ text: string }>) => ({
    free: inner({ text: input.text }, { name: "free" }),
    bound: inner({ text: input.text }, { name: "bound", bind: [Chat.to(Big)] }),
    nested: middle({ text: input.text }, { name: "nested", bind: [Chat.to(Big)] }),
  }));
  const engine = await open({ resources: models, graphs: [both] });
  expect(await engine.run(both, { text: "x" })).toEqual({
    free: { plain: "chat:x", own: "big:x" },
    // The op's own binding makes it Big, and only Chat is bound around it.
    bound: { plain: "big:x", own: "big:x" },
    // plain: inner binds Big, which it is not; middle's Chat makes it Big. own: Big by itself, Huge by the call around it.
    nested: { plain: "big:x", own: "huge:x" },
  });
});

test("bindings swap: each level renames once", async () => {
  const swapped = graph("swapped", (input: Ref<{ text: string }>) =>
    graph("pair", (pair: Ref<{ text: string }>) => ({
      chat: summarise({ text: pair.text }, { name: "chat" }).text,
      big: summarise({ text: pair.text }, { name: "big", bind: [Chat.to(Big)] }).text,
    }))({ text: input.text }, { bind: [Chat.to(Big), Big.to(Chat)] }),
  );
  const engine = await open({ resources: models });
  expect(await engine.run(swapped, { text: "x" })).toEqual({ chat: "big:x", big: "chat:x" });
});

test("streams, schemas and generators get their resources too", async () => {
  const words = op("words", { needs: { model: Chat } }, async function* (_input: { n: number }, ctx) {
    yield { word: await ctx.resources.model.generate("1") };
    yield { word: await ctx.resources.model.generate("2") };
  });
  const flow = graph("flow", (input: Ref<{ n: number; xs: string[] }>) => ({
    words: collect(words({ n: input.n }).word),
    each: collect(summarise({ text: each(input.xs) }).text),
  }));
  const engine = await open({ resources: models });
  expect(await engine.run(flow, { n: 1, xs: ["a", "b"] })).toEqual({
    words: ["chat:1", "chat:2"],
    each: ["chat:a", "chat:b"],
  });
});

test.each<[string, Provision[], string, RegExp]>([
  [
    "a factory that throws",
    [provide(Chat, () => Promise.reject(new Error("CHAT_KEY is not set")))],
    "ResourceFailed",
    /^resource "chat" could not be made: CHAT_KEY is not set\n {2}hint: mend what provide\(…\) was given for "chat"/,
  ],
  [
    "a check that fails",
    [
      provide(Chat, says("chat"), {
        check: () => {
          throw new Error("401 for key sk-…");
        },
      }),
    ],
    "ResourceFailed",
    /^resource "chat" did not pass its check: 401 for key/,
  ],
  [
    "none at all",
    [],
    "ResourceMissing",
    /^"summarise" of graph "summary" needs resource "chat", which the engine was not given\n {2}hint: openEngine\(/,
  ],
  ["one of a similar name", [provide(resource<Model>("chats"), says("x"))], "ResourceMissing", /; it has "chats"/],
  ["one twice", [provide(Chat, says("a")), provide(Chat, says("b"))], "InvalidOption", /"chat" is provided twice/],
])(
  "R30 an engine given %s for a resource of its graphs does not open, and says which and how to mend it",
  async (_name, resources, code, message) => {
    const refused = await refusalOf({ resources, graphs: [summary], backend: memory() });
    expect(refused).toMatchObject({ code });
    expect(refused.message).toMatch(message);
  },
);

test("R30 a graph that was not registered is refused when a run of it starts, before anything ran", async () => {
  const backend = memory();
  const engine = await open({ backend });
  await expect(engine.start(summary, { text: "a" })).rejects.toMatchObject({ code: "ResourceMissing" });
  expect(await engine.list()).toEqual([]);
});

test("R30 wrong settings of provide are refused by name", async () => {
  expect(() => provide({ name: "chat" } as never, 1)).toThrow("provide needs a resource token");
  expect(() => provide(Chat, says("a"), { limit: 1 } as never)).toThrow('resource "chat" has no option "limit"');
  expect(() => provide(Chat, says("a"), { close: true as never })).toThrow("close of resource");
  expect(await refusalOf({ resources: { chat: says("a") } as never })).toMatchObject({ code: "InvalidOption" });
  expect(await refusalOf({ resources: [says("a")] as never })).toMatchObject({ code: "InvalidOption" });
});

test("resources are closed in reverse order, once, and one that cannot be closed keeps no other open", async () => {
  const closed: string[] = [];
  const warnings: string[] = [];
  const engine = await openEngine({
    warn: (text) => warnings.push(text),
    resources: [
      provide(Chat, says("chat"), { close: () => closed.push("chat") }),
      provide(Big, says("big"), { close: () => Promise.reject(new Error("stuck")) }),
      provide(Huge, says("huge"), { close: async () => void closed.push("huge") }),
    ],
  });
  await engine.close();
  await engine.close();
  expect(closed).toEqual(["huge", "chat"]);
  expect(warnings).toEqual(['millrace: resource "big" could not be closed: stuck']);
});

test("what was made before another one failed is closed again", async () => {
  const closed: string[] = [];
  const resources = [
    provide(Chat, says("chat"), { close: () => closed.push("chat") }),
    provide(Big, () => Promise.reject<Model>(new Error("no"))),
    provide(Huge, says("huge"), {
      check: () => Promise.reject(new Error("wrong")),
      close: () => closed.push("huge"),
    }),
  ];
  expect(await refusalOf({ resources })).toMatchObject({
    code: "ResourceFailed",
    message: expect.stringContaining('"big"') as string,
  });
  expect(closed.toSorted()).toEqual(["chat", "huge"]);
});

test("a lazy resource is made by the first run that needs it; a failure is tried again by the next", async () => {
  let tries = 0;
  const engine = await open({
    graphs: [summary],
    resources: [
      provide(
        Chat,
        () => {
          if (++tries === 1) throw new Error("not up yet");
          return says("chat");
        },
        { lazy: true },
      ),
    ],
  });
  expect(tries).toBe(0);
  await expect(engine.run(summary, { text: "a" })).rejects.toMatchObject({ code: "ResourceFailed" });
  const runs = await Promise.all([engine.run(summary, { text: "b" }), engine.run(summary, { text: "c" })]);
  expect(runs).toEqual([{ text: "chat:b" }, { text: "chat:c" }]);
  expect(tries).toBe(2);
});

test("a resource that is still being made when the engine closes is closed as soon as it is there", async () => {
  const there = gate();
  const closed: string[] = [];
  const engine = await open({
    resources: [
      provide(Chat, () => there.opened.then(() => says("chat")), {
        lazy: true,
        close: () => closed.push("chat"),
      }),
    ],
  });
  const run = engine.run(summary, { text: "a" }).catch((error: { code: string }) => error.code);
  const closing = engine.close();
  there.open();
  await closing;
  expect(await run).toBe("EngineClosed");
  expect(closed).toEqual(["chat"]);
});

test("H43 resources are never journaled: a run that crashed goes on with those of the next engine", async () => {
  const backend = memory();
  const hangs: Model = { generate: forever };
  const engine = await open({ backend, graphs: [summary], resources: [provide(Chat, hangs)] });
  await engine.start(summary, { text: "a" }, { id: "r" });
  const recording = await recordingOf(backend, "r");
  const text = (await rowsOf(backend, "r")).map(({ bytes }) => new TextDecoder().decode(bytes)).join("");
  expect(text).not.toContain("chat");
  const dead = await crashedBehind(recording, recording.records.length);
  const result = await resumedOn(dead, summary, { resources: [provide(Chat, says("next"))] });
  expect(result).toMatchObject({ status: "completed", output: { text: "next:a" } });
});

test("bindings and needs are no part of the fingerprint, and the plan names the resource of each key", () => {
  const plain = graph("g", (input: Ref<{ text: string }>) => summarise({ text: input.text }).text);
  const bound = graph(
    "g",
    (input: Ref<{ text: string }>) => summarise({ text: input.text }, { bind: [Chat.to(Big)] }).text,
  );
  expect(bound.plan.fingerprint).toBe(plain.plan.fingerprint);
  const nodes = bound.plan.toJSON().nodes.filter(({ id }) => id === "summarise");
  expect(nodes).toMatchObject([{ resources: { model: "big" } }]);
});
