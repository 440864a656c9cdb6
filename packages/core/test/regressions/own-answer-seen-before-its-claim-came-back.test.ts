import { expect, test } from "vitest";
import { z } from "zod";
import { graph, interrupt, memory, WrappedBackend, type Backend, type Post, type PostResult } from "../../src/index.ts";
import { open } from "../acceptance/support/engines.ts";

const asks = graph("asks", () => ({ n: interrupt("ask", {}, { answer: z.number() }) }));

/** Time enough for the watch of the engine to see what was posted. */
const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 50));

class Slow extends WrappedBackend {
  readonly #before: ((post: Post) => Promise<unknown>) | undefined;

  constructor(inner: Backend, before?: (post: Post) => Promise<unknown>) {
    super(inner);
    this.#before = before;
  }

  override async post(post: Post): Promise<PostResult> {
    await this.#before?.(post);
    await pause();
    const result = await this.inner.post(post);
    await pause();
    return result;
  }
}

// The watch gave the run its own answer as if somebody else had posted it: it was taken, and who gave it was refused.
test("an answer that the watch sees before the store acknowledged it is taken by who gave it", async () => {
  const engine = await open({ backend: new Slow(memory()), graphs: [asks] });
  const handle = await engine.start(asks, undefined, { id: "run" });
  await handle.result();
  await handle.answer("ask", 7, { by: "ann" });
  expect(await handle.output()).toEqual({ n: 7 });
  expect((await engine.get("run"))!.answered).toMatchObject([{ node: "ask", by: "ann" }]);
  await engine.close();
});

test("an answer of somebody else that came first, and that the watch left alone meanwhile, is taken", async () => {
  const store = memory();
  const other = store.another();
  await other.open("other");
  const first = (post: Post): Promise<unknown> =>
    other.post({ ...post, by: "bob", bytes: new TextEncoder().encode("8") });
  const engine = await open({ backend: new Slow(store, first), graphs: [asks] });
  const handle = await engine.start(asks, undefined, { id: "run" });
  await handle.result();
  await expect(handle.answer("ask", 7, { by: "ann" })).rejects.toThrow('"bob"');
  expect(await handle.output()).toEqual({ n: 8 });
  expect((await engine.get("run"))!.answered).toMatchObject([{ node: "ask", by: "bob" }]);
  await engine.close();
  await other.close();
});
