/** The variables of a prompt are known to the compiler. */
import { each, graph, op, prompt, type Prompt, type Ref } from "../src/index.ts";

const ask = op("ask", async (input: { prompt: string }) => ({ text: input.prompt }));
const translate = prompt('Translate {text} into {language}. Reply as {{"text": string}}, {{{text}}}.');

graph("g", (input: Ref<{ text: string; language: string; lines: string[]; age?: number }>) => {
  const line = each(input.lines);
  const perLine = translate({ text: line, language: "German" });
  ask({ prompt: perLine });
  const whole: Ref<string> = translate({ text: input.text, language: input.language });
  // @ts-expect-error -- a string per line is not one string
  const wrong: Ref<string> = perLine;
  // @ts-expect-error -- language is left out
  translate({ text: input.text });
  // @ts-expect-error -- there is no {tone}
  translate({ text: input.text, language: "German", tone: "warm" });
  // @ts-expect-error -- a list is not text
  translate({ text: input.lines, language: "German" });
  // @ts-expect-error -- it may be undefined: orElse first
  translate({ text: input.age, language: "German" });
  void wrong;
  return { answer: ask({ prompt: whole }).text };
});

const rendered: string = translate.render({ text: "mill", language: "German" });
const variables: readonly ("text" | "language")[] = translate.variables;
// @ts-expect-error -- language is left out
translate.render({ text: "mill" });
const loaded: Prompt = prompt(rendered);
loaded.render({ anything: 1 });
void variables;
