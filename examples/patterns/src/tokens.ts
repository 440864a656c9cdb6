/** Token stream: an op per token works while the next token is being made; nothing waits for the whole answer. */
import { collect, graph, op, openEngine, reduce, type Ref } from "millrace";

const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1));

const write = op("write", async function* ({ prompt }: { prompt: string }) {
  for (const token of [prompt, "by", "the", "river"]) {
    console.log(`wrote ${token}`);
    yield { token };
    await turn();
  }
});
const speak = op("speak", async ({ token }: { token: string }) => {
  console.log(`spoke ${token}`);
  return { letters: token.length };
});

const voice = graph("voice", (input: Ref<{ prompt: string }>) => {
  const { token } = write({ prompt: input.prompt });
  const spoken = speak({ token }, { buffer: 8 }); // a slow speaker holds the writer back at eight tokens
  return { said: collect(token), letters: reduce("letters", spoken.letters, 0, (sum, n) => sum + n) };
});

const engine = await openEngine();
console.log(await engine.run(voice, { prompt: "mill" }));
await engine.close();
