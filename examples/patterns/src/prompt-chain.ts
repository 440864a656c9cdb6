/** Prompt chain: each call of the model works on the checked result of the one before. */
import { graph, op, openEngine, provide, resource, text, type Ref } from "millrace";
import { z } from "zod";

/** What the ops need of a model; a real one is a few lines around a client. */
interface Model {
  complete(prompt: string): Promise<string>;
}
const Chat = resource<Model>("chat");

const Outline = z.object({ title: z.string(), points: z.array(z.string()).min(1) });

// The output schema is the contract of the model: an answer that breaks it is this op's failure, never the next one's input.
const outline = op("outline", { needs: { model: Chat }, output: Outline }, async (i: { topic: string }, ctx) =>
  Outline.parse(JSON.parse(await ctx.resources.model.complete(`Outline as JSON: ${i.topic}`))),
);
const write = op("write", { needs: { model: Chat } }, async (i: { prompt: string }, ctx) => ({
  text: await ctx.resources.model.complete(i.prompt),
}));

const chain = graph("chain", (input: Ref<{ topic: string; language: string }>) => {
  const plan = outline({ topic: input.topic });
  const draft = write({ prompt: text`Write about ${plan.title}` }, { name: "draft" });
  const translated = write({ prompt: text`Translate into ${input.language}: ${draft.text}` }, { name: "translate" });
  return { title: plan.title, text: translated.text };
});

const answers: Record<string, string> = {
  "Outline as JSON: mills": '{ "title": "Water mills", "points": ["wheel", "race"] }',
  "Outline as JSON: nothing": '{ "title": "Nothing", "points": [] }',
  "Write about Water mills": "The race turns the wheel.",
  "Translate into German: The race turns the wheel.": "Das Gerinne dreht das Rad.",
};
const scripted: Model = { complete: async (prompt) => answers[prompt] ?? "?" };

const engine = await openEngine({ resources: [provide(Chat, scripted)] });
console.log(await engine.run(chain, { topic: "mills", language: "German" }));

const refused = await (await engine.start(chain, { topic: "nothing", language: "German" })).result();
console.log(refused.status, refused.errors[0]?.node, refused.errors[0]?.count);
await engine.close();
