/** The prototype's twelfth workflow: a library graph whose model is another one in one of its two uses. */
import { z } from "zod";
import { callerContext, given, graph, op, resource, text, type Ref } from "../../../src/index.ts";
import { draft, judge } from "./flows.ts";
import { did } from "./world.ts";

export interface Model {
  generate(prompt: string): Promise<string>;
}
export const Chat = resource<Model>("chat");
export const Big = resource<Model>("big");
const Caller = callerContext("caller", z.object({ user: z.string() }));
const summarise = op(
  "summarise",
  {
    needs: { model: Chat },
    context: Caller,
    input: z.object({ text: z.string() }),
    output: z.object({ text: z.string() }),
  },
  async ({ text: given }, ctx) => {
    await did(ctx.node);
    return { text: await ctx.resources.model.generate(ctx.context.user + given) };
  },
);
export const summary = graph("summary", (input: Ref<{ text: string }>) => summarise(input));
export const both = graph("both", (input: Ref<{ text: string; title?: string }>) => {
  const fast = summary({ text: input.text }, { name: "fast" });
  const deep = summary(input, { name: "deep", bind: [Chat.to(Big)] });
  const heading = given(
    "titled",
    input.title,
    (t) => draft({ prompt: text`Title: ${t}` }),
    () => ({ text: "untitled" }),
  );
  const j = judge({ answer: deep.text, expected: fast.text });
  return { fast: fast.text, deep: deep.text, heading: heading.text, j };
});
