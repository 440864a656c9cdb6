import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  collect,
  each,
  egress,
  graph,
  ingress,
  memory,
  op,
  zip,
  type MillraceError,
  type Ref,
  type StandardSchemaV1,
} from "../../src/index.ts";
import { checkInvariants } from "../../src/state/invariants.ts";
import { open } from "./support/engines.ts";
import { eventually, gate } from "./support/gate.ts";
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
  const letGo = sending.catch((error: unknown) => error);
  await handle.cancel();
  expect(await letGo).toMatchObject({ code: "InputEnded" });
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

test("a live output that the graph does not have is refused by name, with those it has", async () => {
  const engine = await open(check);
  const handle = await engine.start(talk, {}, { id: "talking" });
  expect(() => handle.receive("speakr")).toThrow(
    expect.objectContaining({
      code: "NoSuchOutput",
      message: expect.stringContaining('run talking has no live output "speakr"'),
      hint: 'did you mean "speaker"? it has speaker',
    }),
  );
  expect(() => handle.receive("mic")).toThrow(expect.objectContaining({ code: "NoSuchOutput" }));
  await handle.cancel();
});

/** Sends until it is told to stop; gives how often it was let go on. */
function sendAll(handle: { send(name: string, item: unknown): Promise<void> }): { sent: number; done: Promise<void> } {
  const sender = { sent: 0, done: Promise.resolve() };
  sender.done = (async () => {
    for (let n = 0; n < 5_000; n++) {
      await handle.send("in", { n });
      sender.sent++;
    }
  })();
  return sender;
}

test("what waits in send when the engine closes is told that, not that the input ended", async () => {
  const never = op("never", ({ n }: { n: number }, ctx) => {
    return new Promise<{ n: number }>((_, reject) => {
      ctx.signal.addEventListener("abort", () => reject(ctx.signal.reason as Error));
      if (n < 0) reject(new Error("never"));
    });
  });
  const g = graph("never", (_input: Ref<object>) => ({
    all: collect(never({ n: ingress<{ n: number }>("in").n }, { buffer: 2 }).n),
  }));
  const slowSchema = z
    .object({ text: z.string() })
    .refine(() => new Promise((resolve) => setTimeout(resolve, 50, true)));
  const validated = graph("validated", (_input: Ref<object>) => ({
    said: collect(shout({ text: ingress("mic", { item: slowSchema }).text }).loud),
  }));
  const engine = await open({ ...check, backend: memory() });
  const handle = await engine.start(g, {});
  const sender = sendAll(handle);
  await expect.poll(() => sender.sent).toBeGreaterThan(1_000);
  const validating = (await engine.start(validated, {})).send("mic", { text: "x" });
  const refused = Promise.allSettled([sender.done, validating]);
  await engine.close();
  const closed = { status: "rejected", reason: expect.objectContaining({ code: "EngineClosed" }) };
  expect(await refused).toEqual([closed, closed]);
  await expect(handle.send("in", { n: 1 })).rejects.toMatchObject({ code: "EngineClosed" });
});

test("an item that was never taken is not reported as sent when its run ends", async () => {
  const never = op("never", async ({ n }: { n: number }) => new Promise<object>(() => void n));
  const g = graph("ends", (_input: Ref<object>) => {
    never({ n: ingress<{ n: number }>("in").n }, { buffer: 1 });
    return {};
  });
  const engine = await open(check);
  const handle = await engine.start(g, {});
  const sender = sendAll(handle);
  await expect.poll(() => sender.sent).toBeGreaterThan(1_000);
  const before = sender.sent;
  await Promise.all([handle.cancel(), expect(sender.done).rejects.toMatchObject({ code: "InputEnded" })]);
  expect(sender.sent).toBe(before);
});

test.each([
  ["without a backend", undefined],
  ["with one", memory],
])("F03 who waits in send is told that the run ended before it began to read, %s", async (_, backend) => {
  const engine = await open({ ...check, ...(backend !== undefined && { backend: backend() }) });
  const g = graph("unread", (_input: Ref<object>) => ({ all: collect(ingress<number>("in")) }));
  const handle = await engine.start(g, {});
  // All in the turn in which the run is about to begin.
  const sent = Array.from({ length: 1_030 }, (_one, n) => handle.send("in", n));
  const cancelled = handle.cancel();
  const settled = await Promise.allSettled(sent);
  expect(await cancelled).toMatchObject({ status: "cancelled" });
  const refused = settled.flatMap((one) => (one.status === "rejected" ? [(one.reason as MillraceError).code] : []));
  expect(new Set(refused)).toEqual(new Set(["InputEnded"]));
  expect(refused.length).toBeGreaterThan(0);
});

test("an input that nobody will ever read takes nothing", async () => {
  const engine = await open(check);
  const door = gate();
  const wait = op("wait", async (_input: object) => {
    await door.opened;
    return { n: 1 };
  });
  const g = graph("unread", (input: Ref<{ xs: number[] }>) => {
    const pair = zip({ x: each(input.xs), heard: ingress<number>("in") }, { name: "pairs", uneven: "stop" });
    return { all: collect(pair.heard), n: wait({}).n };
  });
  const handle = await engine.start(g, { xs: [] });
  await eventually("the pairs are over", async () => {
    const told = await handle.send("in", 1).catch((error: unknown) => (error as MillraceError).code);
    return told === "InputEnded";
  });
  door.open();
  expect(await handle.output()).toEqual({ all: [], n: 1 });
});

/** A schema that takes as long as the item says, or no time at all. */
const checkedText = (late: boolean): StandardSchemaV1<string, string> => ({
  "~standard": {
    version: 1,
    vendor: "test",
    validate: (value) => {
      const text = String(value);
      const result = text === "bad" ? { issues: [{ message: "not that" }] } : { value: `${text}!` };
      if (!late) return result;
      return new Promise((resolve) => setTimeout(() => resolve(result), 10 * (6 - text.length)));
    },
  },
});

describe.each([
  ["at once", false],
  ["in any order", true],
])("items that are checked %s", (_, late) => {
  const texts = graph("texts", (_input: Ref<object>) => ({
    all: collect(ingress("in", { item: checkedText(late) })),
  }));

  test("arrive in the order they were sent, and all that were sent before the end, whoever waits for it", async () => {
    const engine = await open(check);
    const handle = await engine.start(texts, {});
    const sent = ["a", "bb", "bad", "ccc", "d"].map((text) => handle.send("in", text));
    handle.end("in");
    const settled = await Promise.allSettled([...sent, handle.send("in", "late")]);
    expect(settled.map((one) => (one.status === "rejected" ? (one.reason as MillraceError).code : "sent"))).toEqual([
      "sent",
      "sent",
      "InvalidValue",
      "sent",
      "sent",
      "InputEnded",
    ]);
    expect(await handle.output()).toEqual({ all: ["a!", "bb!", "ccc!", "d!"] });
  });

  test("are told that the input ended, when the run did before they were through", async () => {
    const engine = await open(check);
    const handle = await engine.start(texts, {});
    const cancelled = handle.cancel();
    const sent = handle.send("in", "a");
    await cancelled;
    await expect(sent).rejects.toMatchObject({ code: "InputEnded" });
  });
});
