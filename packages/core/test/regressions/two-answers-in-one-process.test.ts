/**
 * Two callers in one process answered the same question. One was told of the other's note before the other was told that it is
 * its own, and took it up; the other then found the question closed and took the note away, while the record of it was not yet
 * durable. Whoever answered next, from another process, was told that this answer counts: the journal has the first one.
 */
import { expect, test } from "vitest";
import { z } from "zod";
import { graph, interrupt, memory, op, WrappedBackend } from "../../src/index.ts";
import type { Append, AppendResult, Backend, Post, PostResult, Ref } from "../../src/index.ts";
import { open } from "../acceptance/support/engines.ts";
import { eventually, gate, type Gate } from "../acceptance/support/gate.ts";

class Held extends WrappedBackend {
  appends = 0;
  /** The first note waits on its way to the store, the second one's reply on its way back. */
  readonly #waits: readonly [Gate, Gate];
  #posts = 0;
  #append: Gate | null = null;

  constructor(inner: Backend, waits: readonly [Gate, Gate]) {
    super(inner);
    this.#waits = waits;
  }

  holdAppends(until: Gate): void {
    this.#append = until;
  }

  override async post(post: Post): Promise<PostResult> {
    const number = ++this.#posts;
    if (number === 1) await this.#waits[0].opened;
    const result = await this.inner.post(post);
    if (number === 2) await this.#waits[1].opened;
    return result;
  }

  override async append(append: Append): Promise<AppendResult> {
    this.appends++;
    await this.#append?.opened;
    return this.inner.append(append);
  }
}

test("B9 I1 an answer that is in a record is not taken away by who gave it, however late the store's reply", async () => {
  const door = gate();
  const slow = op("slow", async () => {
    await door.opened;
    return { done: true };
  });
  const asks = graph("asks", (_input: Ref<{}>) => ({
    done: slow({}).done,
    n: interrupt("ask", {}, { answer: z.number() }),
  }));
  const store = memory();
  const other = store.another();
  await other.open("other");
  const [request, reply, durable] = [gate(), gate(), gate()];
  const backend = new Held(store, [request, reply]);
  const engine = await open({ backend, graphs: [asks] });
  const handle = await engine.start(asks, {}, { id: "run" });
  await eventually("the question is durable", async () => (await engine.get("run"))?.interrupts.length === 1);
  const [question] = handle.interrupts();
  const { appends } = backend;
  backend.holdAppends(durable);

  const second = handle.answer("ask", 8, { by: "bob" });
  const first = handle.answer("ask", 7, { by: "ann" });
  await eventually("ann's answer is posted", async () => (await other.inbox("run")).length === 1);
  request.open();
  await expect(second).rejects.toThrow('"ann"');
  reply.open();
  await eventually("it is recorded, and on its way", () => backend.appends > appends);
  await new Promise((resolve) => setImmediate(resolve));
  const third = { runId: "run", kind: "answer", key: question!.id, by: "cid", at: 0, wakes: [] } as const;
  const bytes = new TextEncoder().encode("9");
  expect(await other.post({ ...third, bytes })).toMatchObject({ type: "exists", note: { by: "ann" } });

  durable.open();
  await first;
  door.open();
  expect(await handle.output()).toEqual({ done: true, n: 7 });
  expect(await engine.get("run")).toMatchObject({ answered: [{ node: "ask", by: "ann" }] });
  await engine.close();
  await other.close();
});
