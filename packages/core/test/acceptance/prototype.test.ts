import { describe, expect, test } from "vitest";
import { provide, type Interrupt } from "../../src/index.ts";
import {
  agent,
  callCenter,
  digest,
  dynamic,
  etl,
  evaluate,
  form,
  nightly,
  order,
  rag,
  research,
  stepper,
  support,
  voice,
} from "./prototype/flows.ts";
import { Big, both, Chat, type Model } from "./prototype/library.ts";
import { crashedEverywhere, plainly, recorded, sameEverywhere, type Script } from "./prototype/running.ts";
import { world } from "./prototype/world.ts";
import { eventually } from "./support/gate.ts";

const completed = (output: unknown): object => ({ status: "completed", output });

/** What is said of an unsafe body that was under way. */
const unknown = { fail: "nobody knows whether it had its effect" };

describe("1 support triage with approval", () => {
  const approving: Script = { answer: () => ({ approved: true, note: "fine" }) };

  test("what is not risky is sent at once", async () => {
    const { result, did } = await plainly(support, { ticket: "tech: no light", from: "me" });
    expect(result).toEqual({
      ...completed({ id: "sent to me", note: undefined }),
      errors: [],
      cells: expect.any(Object),
    });
    expect(did).toEqual([
      "classify tech: no light",
      "draft Answer this technical question: tech: no light",
      "send Answer this technical question: tech: no light to me",
    ]);
  });

  test("what is risky waits for its approval, and is not sent when that is refused", async () => {
    const asked: Interrupt[] = [];
    const answer = (question: Interrupt): unknown => {
      asked.push(question);
      return { approved: false, note: "rude" };
    };
    const { result, did } = await recorded(support, { ticket: "other!", from: "me" }, { answer });
    expect(result).toMatchObject(completed({ id: undefined, note: "rude" }));
    expect(asked).toMatchObject([{ node: "gate/then/approve", payload: { text: "We will come back to you" } }]);
    expect(did).toEqual(["classify other!"]);
  });

  test("over a crash at any record the answer is sent at most once", async () => {
    const input = { ticket: "billing!", from: "me" };
    const sent = "send Answer this billing question: billing! to me";
    let inDoubt = 0;
    const answer = (question: Interrupt): unknown =>
      question.node === "deliver/then/send" ? unknown : approving.answer?.(question);
    const whole = await crashedEverywhere(support, input, { ...approving, answer }, ({ result, did }, cut) => {
      // Whether a body that was under way had its effect is asked: it is no second mail.
      const asked = result.errors.some(({ message }) => message === unknown.fail);
      if (asked) inDoubt++;
      expect([cut, result.status]).toEqual([cut, asked ? "failed" : "completed"]);
      expect([cut, result]).toMatchObject([cut, asked ? {} : completed({ id: "sent to me", note: "fine" })]);
      expect([cut, asked && did.includes(sent)]).toEqual([cut, false]);
      expect(did.filter((line) => line === sent).length).toBeLessThanOrEqual(1);
    });
    expect(inDoubt).toBe(1);
    expect(whole.did).toContain(sent);
  });
});

test("2 RAG: the small model takes over when the big one fails, and says so", async () => {
  const easy = await sameEverywhere(rag, { q: "easy" });
  expect(easy.result).toEqual({
    ...completed({ answer: "easy from 1", model: "big", degraded: false, top: "a" }),
    errors: [],
    cells: expect.any(Object),
  });
  expect(easy.did).toEqual(["retrieve easy all", "answerBig easy"]);
  const hard = await sameEverywhere(rag, { q: "hard", k: 0 });
  expect(hard.result).toMatchObject({
    ...completed({ answer: "hard, because overloaded", model: "small", degraded: true, top: undefined }),
    errors: [{ node: "answer/body/answerBig", message: "overloaded", handled: true }],
  });
  expect(hard.did).toEqual(["retrieve hard 0", "answerBig hard", "answerSmall hard"]);
});

test("3 nightly documents: one that fails is a row of the mail, and one that is empty is left out", async () => {
  const { result, did } = await sameEverywhere(nightly, { since: "monday" });
  expect(result).toMatchObject({
    status: "completed",
    output: {
      rows: [
        { ok: true, value: { path: "a", chunks: 9 } },
        { ok: false, error: { node: "index", path: "nightly/listDocs[2]/index", message: "no index for broken" } },
        { ok: true, value: { path: "b", chunks: 9 } },
      ],
    },
    errors: [{ node: "index", count: 1, handled: true }],
  });
  expect(did.at(-1)).toBe("mail a 9\nnightly/listDocs[2]/index failed no index for broken\nb 9");
  expect(did).not.toContain("index empty");
});

describe("4 voice agent with barge-in", () => {
  /** The caller says stop when the first sentence has been spoken; a story goes on until it is swept. */
  const bargeIn: Script = {
    wait: async (what, signal) => {
      const [who, call, kind] = what.split(" ");
      if (who === "hear") await eventually(`${call} was spoken to`, () => world.did.includes(`speak ${call} story 1`));
      else if (kind === "story")
        await new Promise<void>((resolve) => {
          signal.addEventListener("abort", () => {
            world.did.push(`cut off ${call}`);
            resolve();
          });
        });
    },
  };

  test("what the caller says now ends what was being said", async () => {
    for (const run of [plainly, recorded]) {
      const { result, did } = await run(voice, { call: "x" }, bargeIn);
      expect(result).toEqual({
        ...completed({ ms: [[9], [8, 8]], said: [["x story 1"], ["x stop 1", "x stop 2"]], call: "x" }),
        errors: [],
        cells: expect.any(Object),
      });
      expect(did).toEqual(["speak x story 1", "cut off x", "speak x stop 1", "speak x stop 2"]);
    }
  });

  test("calls are handled side by side, each with its own barge-in", async () => {
    const { result, did } = await recorded(callCenter, { calls: ["a", "b"] }, bargeIn);
    expect(result).toEqual({ ...completed({ longest: [2, 2] }), errors: [], cells: expect.any(Object) });
    expect(did.filter((line) => line.startsWith("cut off")).toSorted()).toEqual(["cut off a", "cut off b"]);
  });

  test("over a crash at any record what was said stands, and the last answer is whole", async () => {
    await crashedEverywhere(voice, { call: "x" }, {}, ({ result }, cut) => {
      expect([cut, result.status, result.errors]).toEqual([cut, "completed", []]);
      if (result.status !== "completed") return;
      const { said } = result.output as { said: string[][] };
      expect([cut, said.at(-1)]).toEqual([cut, ["x stop 1", "x stop 2"]]);
      for (const story of said.slice(0, -1)) expect(["x story 1", "x story 2"].slice(0, story.length)).toEqual(story);
    });
  });
});

test("5 agent loop: tools of a turn wait for their approvals one by one, and the run for the last", async () => {
  const asked: string[] = [];
  const answer = ({ path, payload }: Interrupt): unknown => {
    const { call } = payload as { call: { id: string } };
    asked.push(path);
    return call.id === "rm" ? { approved: false, note: "no" } : { approved: true };
  };
  const { result, did } = await sameEverywhere(agent, { messages: [{ role: "user", content: "go" }] }, { answer });
  expect(result).toEqual({
    ...completed({
      answer: "done after 5",
      messages: [
        { role: "user", content: "go" },
        { role: "assistant", content: "calling" },
        { role: "tool", content: "did read" },
        { role: "tool", content: "denied rm no" },
        { role: "tool", content: "did drop" },
        { role: "assistant", content: "done after 5" },
      ],
    }),
    errors: [],
    cells: expect.any(Object),
  });
  expect(asked.slice(0, 2)).toEqual([
    "agent/turns#0/think.calls[1]/risky/then/approve",
    "agent/turns#0/think.calls[2]/risky/then/approve",
  ]);
  expect(did).toEqual(["think go", "runTool read", "runTool drop", "think go|calling|did read|denied rm no|did drop"]);
});

test("6 digest: chapters of any width, in order", async () => {
  const { result, did } = await sameEverywhere(digest, { book: "b" });
  expect(result).toEqual({
    ...completed({ text: "one: ABC; two: ; three: D" }),
    errors: [],
    cells: expect.any(Object),
  });
  expect(did.filter((line) => line.startsWith("gist")).length).toBe(4);
  expect(did.at(-1)).toBe("bookSummary");
});

test("7 research: each query takes the faster engine, and the slower one is cut off", async () => {
  const cut: string[] = [];
  const slowBing: Script = {
    wait: async (what, signal) => {
      if (!what.startsWith("bing")) return;
      await new Promise((_, reject) => {
        signal.addEventListener("abort", () => {
          cut.push(what);
          reject(new Error("aborted"));
        });
      });
    },
  };
  const { result, did } = await sameEverywhere(research, { topic: "t" }, slowBing);
  expect(result).toEqual({ ...completed({ text: "t: brave x, brave y" }), errors: [], cells: expect.any(Object) });
  expect(did).toEqual(["queries t", "brave x", "brave y", "write"]);
  expect(cut.slice(0, 2)).toEqual(["bing x", "bing y"]);
});

test("8 ETL: rows of two streams are paired in order", async () => {
  const { result, did } = await sameEverywhere(etl, { l: "l", r: "r" });
  expect(result).toEqual({
    ...completed({ total: 60, rows: ["1 l1 10", "2 l2 20", "3 l3 30"] }),
    errors: [],
    cells: expect.any(Object),
  });
  expect(did.filter((line) => line.startsWith("join")).length).toBe(3);
});

describe("9 saga", () => {
  test("an order that goes through undoes nothing", async () => {
    const { result, did } = await plainly(order, { sku: "pen", card: "visa", cents: 5 });
    expect(result).toEqual({ ...completed({ tracking: "t-r-pen" }), errors: [], cells: expect.any(Object) });
    expect(did.toSorted()).toEqual(["charge visa 5", "reserve pen", "ship r-pen"]);
  });

  test("a charge that fails releases the reservation", async () => {
    const { result, did } = await recorded(order, { sku: "pen", card: "stolen", cents: 5 });
    expect(result.status).toBe("failed");
    expect(did.toSorted()).toEqual(["charge stolen 5", "release r-pen", "reserve pen"]);
    expect(result.errors).toMatchObject([
      { node: "pay/body/charge", message: "card refused", handled: true },
      { node: "pay/handler/undo", message: "order not placed: card refused" },
      { node: "pay", cause: "pay/body/charge" },
    ]);
  });

  test("a shipment that fails refunds the charge, then releases the reservation", async () => {
    const { result, did } = await recorded(order, { sku: "heavy", card: "visa", cents: 5 });
    expect(result.status).toBe("failed");
    expect(did.slice(-3)).toEqual(["ship r-heavy", "refund c-visa", "release r-heavy"]);
    expect(result.errors.map(({ message }) => message)).toContain("order not placed: too heavy");
  });

  test("over a crash at any record nothing is bought twice, and what is not finished is undone", async () => {
    let inDoubt = 0;
    const script = { answer: () => unknown };
    await crashedEverywhere(order, { sku: "pen", card: "visa", cents: 5 }, script, ({ result, did }, cut) => {
      const counts = did.filter((line) => !/^(release|refund)/.test(line));
      expect([cut, new Set(counts).size]).toEqual([cut, counts.length]);
      const asked = result.errors.some(({ message }) => message === unknown.fail);
      if (asked) inDoubt++;
      expect([cut, result.status]).toEqual([cut, asked ? "failed" : "completed"]);
    });
    expect(inDoubt).toBeGreaterThan(2);
    await crashedEverywhere(order, { sku: "heavy", card: "visa", cents: 5 }, script, ({ result, did }, cut) => {
      expect([cut, result.status]).toEqual([cut, "failed"]);
      expect([cut, new Set(did).size]).toEqual([cut, did.length]);
    });
  });
});

test("10 form: asks again with the problem, and counts", async () => {
  const asked: unknown[] = [];
  const answer = ({ payload }: Interrupt): unknown => {
    const { problem } = payload as { problem: string | undefined };
    asked.push(problem);
    return { email: "a@b.example", age: problem === undefined ? "7" : "30" };
  };
  const { result, did } = await sameEverywhere(form, { user: "u" }, { answer });
  expect(result).toEqual({
    ...completed({ email: "a@b.example", tries: 1, status: "open" }),
    errors: [],
    cells: expect.any(Object),
  });
  expect(asked.slice(0, 2)).toEqual([undefined, "7 is too young"]);
  expect(did).toEqual(["check a@b.example 7", "check a@b.example 30"]);
});

test("11 evaluation: scores are averaged over what could be judged", async () => {
  const cases = [
    { question: "a", expected: "A" },
    { question: "b", expected: "?" },
    { question: "c", expected: "X", tag: "odd" },
  ];
  const { result, did } = await sameEverywhere(evaluate, { cases });
  expect(result).toMatchObject({
    ...completed({
      mean: 0.5,
      log: ["pass", "fail"],
      rows: [
        { ok: true, value: { q: "a", score: 1, verdict: "pass" } },
        { ok: false, error: { node: "judge", message: "nothing expected" } },
        { ok: true, value: { q: "c", score: 0, verdict: "fail" } },
      ],
    }),
  });
  expect(did.filter((line) => line.startsWith("judge")).toSorted()).toEqual(["judge A", "judge B", "judge C"]);
});

test("12 library: one graph with two models, told by its caller who asks", async () => {
  const model = (name: string): Model => ({ generate: async (prompt) => `${name}(${prompt})` });
  const script: Script = {
    run: { context: { user: "me:" } },
    engine: { resources: [provide(Chat, model("chat")), provide(Big, model("big"))] },
  };
  const { result, did } = await sameEverywhere(both, { text: "t", title: "T" }, script);
  expect(result).toEqual({
    ...completed({
      fast: "chat(me:t)",
      deep: "big(me:t)",
      heading: "Title: T",
      j: { score: 0, verdict: "fail" },
    }),
    errors: [],
    cells: expect.any(Object),
  });
  expect(did.toSorted()).toEqual(["deep/summarise", "draft Title: T", "fast/summarise", "judge big(me:t)"]);
  const untitled = await plainly(both, { text: "t" }, script);
  expect(untitled.result).toMatchObject({ output: { heading: "untitled" } });
  expect(untitled.did).not.toContain("draft Title: T");
});

test("a stepper runs the arm of what the model answered", async () => {
  const tool = await sameEverywhere(stepper, { q: "tool" });
  expect(tool.result).toEqual({
    ...completed({ message: { role: "tool", content: "did t" } }),
    errors: [],
    cells: expect.any(Object),
  });
  const final = await sameEverywhere(stepper, { q: "hi" });
  expect(final.result).toEqual({ ...completed({ answer: "hi" }), errors: [], cells: expect.any(Object) });
  expect(final.did).toEqual(["step hi"]);
});

test("a graph is built from data", async () => {
  const { result, did } = await sameEverywhere(dynamic(["de", "fr"]), { text: "hi" });
  expect(result).toEqual({
    ...completed({ all: { de: "to de: hi", fr: "to fr: hi" } }),
    errors: [],
    cells: expect.any(Object),
  });
  expect(did).toEqual(["draft to de: hi", "draft to fr: hi"]);
});
