/** Streams whose items are in no journal: what is killed in the middle of them begins anew, and what is made of them is one record. */
import { collect, emit, final, graph, op, reduce, type Graph, type Ref } from "../../../src/index.ts";
import type { CrashRun } from "../../../src/testing/index.ts";

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const tokens = op(
  "tokens",
  { onResume: "ephemeral", retry: { attempts: 2, initial: 1, on: () => true } },
  async function* ({ text }: { text: string }, { attempt }) {
    const words = `${text} and more`.split(" ");
    for (const [i, word] of words.entries()) {
      await sleep(1 + (i % 3));
      // Every answer to something short is cut off once.
      if (attempt === 1 && words.length < 6 && i === 2) throw new Error("the line was cut");
      yield { word };
    }
    return { usage: words.length };
  },
);
const upper = op("upper", { effect: "pure" }, async ({ word }: { word: string }) => {
  await sleep(1);
  return { word: word.toUpperCase() };
});
const keep = op("keep", async ({ text, usage }: { text: string; usage: number }) => {
  await sleep(2);
  return { text: `${text.trim()} ${usage}` };
});

function turn(name: string, text: Ref<string>): Ref<string> {
  const gen = tokens({ text }, { name: `${name}-tokens` });
  const loud = upper({ word: gen.word }, { name: `${name}-upper`, parallel: 2 });
  emit(`${name}-word`, loud.word, { ordered: true });
  const whole = reduce(`${name}-whole`, loud.word, "", (all: string, next: string) => `${all} ${next}`);
  return keep({ text: whole, usage: final(gen).usage }, { name: `${name}-keep` }).text;
}

export const chat: Graph<{ text: string }, unknown> = graph("chat", (input: Ref<{ text: string }>) => {
  let { text } = input;
  for (const name of ["one", "two", "three", "four"]) text = turn(name, text);
  return { text, words: collect(tokens({ text }, { name: "last" }).word) };
});

/** Of a run with many words. */
export const chatInput: { readonly text: string } = { text: "what is a millrace, and what is it good for? ".repeat(6) };

export const chats: readonly CrashRun[] = ["hello", "hello there you", "what is a millrace"].map((text, i) => ({
  id: `chat-${i}`,
  graph: chat,
  input: { text },
}));
