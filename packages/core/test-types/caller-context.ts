// oxlint-disable eslint/no-unused-vars, eslint/no-unused-expressions -- here the declarations are the assertions
// What the caller tells a run is typed by the schema's output (DESIGN §2, §6).
import { z } from "zod";
import { callerContext, op, resource, type CallerContext } from "../src/index.ts";

const Caller = callerContext("caller", z.object({ user: z.string(), n: z.coerce.number().default(1) }));
const typed: CallerContext<{ user: string; n: number }> = Caller;
const Chat = resource<{ say(text: string): string }>("chat");

op("greet", { context: Caller }, async (_input: { x: string }, ctx) => {
  const user: string = ctx.context.user;
  const n: number = ctx.context.n;
  // @ts-expect-error misspelt
  ctx.context.usr;
  // @ts-expect-error read only
  ctx.context = { user, n };
  return { user, n };
});
op("both", { context: Caller, needs: { chat: Chat } }, async (_input: object, ctx) => ({
  text: ctx.resources.chat.say(ctx.context.user),
}));
op("nothing", async (_input: object, ctx) => {
  // @ts-expect-error an op that asks for no context gets none
  ctx.context.user;
  return {};
});
// @ts-expect-error not a caller context
op("wrong", { context: z.object({}) }, async (_input: object) => ({}));
// @ts-expect-error not a schema
callerContext("wrong", { user: String });
