// oxlint-disable eslint/no-unused-vars, eslint/no-unused-expressions -- here the declarations are the assertions
// Resources: what a body gets is typed by its needs, and a binding keeps the type (DESIGN §2, §6).
import { z } from "zod";
import { graph, op, openEngine, provide, resource, type Provision, type Ref } from "../src/index.ts";

interface Model {
  generate(prompt: string): Promise<string>;
}
interface Database {
  query(sql: string): number;
}
const Chat = resource<Model>("chat");
const Big = resource<Model>("big");
const Db = resource<Database>("db");
const Fetch = resource<(url: string) => Promise<string>>("fetch");

const ask = op("ask", { needs: { model: Chat, db: Db } }, async ({ x }: { x: string }, ctx) => {
  const text: string = await ctx.resources.model.generate(x);
  const rows: number = ctx.resources.db.query("select 1");
  // @ts-expect-error a key that is not among the needs
  ctx.resources.modle;
  // @ts-expect-error the type of the resource
  ctx.resources.model.query("select 1");
  ctx.spend("model", 120);
  // @ts-expect-error tokens of something the op does not need
  ctx.spend("chat", 120);
  // @ts-expect-error read only
  ctx.resources.db = { query: () => 1 };
  return { text, rows };
});

op("nothing", async (_input: { x: string }, ctx) => {
  // @ts-expect-error an op without needs has no resources
  ctx.resources.model;
  return {};
});

// Schemas and needs in one op: both are inferred.
op("both", { needs: { model: Chat }, input: z.object({ n: z.number() }) }, async ({ n }, ctx) => ({
  text: await ctx.resources.model.generate(n.toFixed()),
}));
op("gen", { needs: { db: Db } }, async function* (_input: object, ctx) {
  yield { n: ctx.resources.db.query("") };
});
// @ts-expect-error not a token
op("wrong", { needs: { model: "chat" } }, async (_input: object) => ({}));

graph("g", (input: Ref<{ x: string }>) => {
  const called = ask({ x: input.x }, { bind: [Chat.to(Big)] });
  // @ts-expect-error a resource of another type
  Chat.to(Db);
  // @ts-expect-error not a binding
  ask({ x: input.x }, { name: "other", bind: [Chat] });
  const rows: Ref<number> = called.rows;
  return { rows };
});

const model: Model = { generate: (prompt) => Promise.resolve(prompt) };
const provisions: Provision[] = [
  provide(Chat, model),
  provide(Chat, () => model),
  provide(Chat, async () => model, { check: (chat) => chat.generate("ping"), lazy: true }),
  provide(Fetch, () => (url) => Promise.resolve(url)),
];
// @ts-expect-error a function is a factory: this one makes a promise of a string
provide(Fetch, (url: string) => Promise.resolve(url));
provide(Chat, model, { limits: { concurrency: 2, rate: { perSecond: 3, perMinute: 9 }, tokensPerMinute: 1000 } });
// @ts-expect-error not a span
provide(Chat, model, { limits: { rate: { perHour: 1 } } });
// @ts-expect-error another type
provide(Chat, { query: () => 1 });
// @ts-expect-error the check gets the resource
provide(Chat, model, { check: (chat) => chat.query("") });
void openEngine({ resources: provisions });
// @ts-expect-error a list of provisions
void openEngine({ resources: [model] });

void ask.fn({ x: "a" }, { resources: { model, db: { query: () => 1 } } });
