import { expect, test } from "vitest";
import { z } from "zod";
import { collect, egress, graph, ingress, memory, op, type Ref } from "../../src/index.ts";
import { checkInvariants } from "../../src/state/invariants.ts";
import { open } from "./support/engines.ts";
import { recordingOf } from "./support/journal.ts";

const check = { check: checkInvariants };
const shout = op("shout", async ({ text }: { text: string }) => ({ loud: text.toUpperCase() }));
const talk = graph("talk", (_input: Ref<object>) => {
  const heard = ingress("mic", { item: z.object({ text: z.string() }) });
  const s = shout({ text: heard.text });
  egress("speaker", s.loud);
  return { said: collect(s.loud) };
});

test("items are sent into a run and received from it while it goes on", async () => {
  const engine = await open(check);
  const handle = await engine.start(talk, {});
  const received = handle.receive("speaker")[Symbol.asyncIterator]();
  await handle.send("mic", { text: "one" });
  expect(await received.next()).toEqual({ done: false, value: "ONE" });
  await handle.send("mic", { text: "two" });
  expect(await received.next()).toEqual({ done: false, value: "TWO" });
  await expect(handle.send("mic", { text: 3 })).rejects.toMatchObject({ code: "InvalidValue" });
  await expect(handle.send("mike", {})).rejects.toMatchObject({
    code: "NoSuchInput",
    hint: expect.stringContaining("mic"),
  });
  handle.end("mic");
  await expect(handle.send("mic", { text: "late" })).rejects.toMatchObject({ code: "InputEnded" });
  expect(await handle.result()).toMatchObject({ status: "completed", output: { said: ["ONE", "TWO"] } });
  expect(await received.next()).toEqual({ done: true, value: undefined });
});

test("a sender waits when the run is slow, and a cancelled run lets it go", async () => {
  const slow = op("slow", async ({ n }: { n: number }) => {
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    return { n };
  });
  const g = graph("slow", (_input: Ref<object>) => ({
    all: collect(slow({ n: ingress<{ n: number }>("in").n }, { buffer: 2 }).n),
  }));
  const engine = await open(check);
  const handle = await engine.start(g, {});
  let sent = 0;
  const sending = (async () => {
    for (let n = 0; n < 5_000; n++) {
      await handle.send("in", { n });
      sent++;
    }
  })();
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(sent).toBeLessThan(1_100);
  await handle.cancel();
  await expect(sending).rejects.toMatchObject({ code: "InputEnded" });
});

test("P3.6 a run with an open live input is not resumed: it names the input, and its journal stays", async () => {
  const backend = memory();
  const first = await open({ backend, graphs: [talk] });
  const handle = await first.start(talk, {}, { id: "run" });
  await handle.send("mic", { text: "heard" });
  await expect.poll(async () => (await first.get("run"))?.finished["shout"]).toBe(1);
  await first.close();
  const other = backend.another();
  const second = await open({ backend: other, graphs: [talk], ...check });
  const [recovered] = second.recovered;
  const result = await recovered!.result();
  expect(result).toMatchObject({ status: "failed", errors: [{ node: "mic", code: "NotResumable" }] });
  const kinds = (await recordingOf(other, "run")).records.map(([kind]) => kind);
  expect(kinds).toContain(2); // what was heard
});
