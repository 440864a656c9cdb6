import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";

import { encodeAs } from "../../journal/encode-as.ts";
import { isTransient } from "../../runtime/retry.ts";
import { type ExecutorCase, type Handed, told } from "./scene.ts";

/** What a task came to, whatever that is. */
async function thrownBy({ output }: Handed): Promise<unknown> {
  try {
    await output;
  } catch (thrown) {
    return thrown;
  }
  return assert.fail("it gave an output");
}

/** Between a body's own clock and ours: they are the same, but messages take time. */
const slack = 400;

export const executorCases: readonly ExecutorCase[] = [
  {
    title: "ops that it can run are prepared, and one that it cannot is named",
    async play({ executor }) {
      await executor.prepare(["echo", "refuses"]);
      await assert.rejects(executor.prepare(["echo", "nowhere"]), /nowhere/);
    },
  },
  {
    title: "X1 an output comes back as it was made, for many at once",
    async play(scene) {
      const values = [undefined, -0, 10n, new Date(0), new Map([["a", new Set([1])]]), ["é 🌊", "\ud800"], { x: null }];
      const outputs = await Promise.all(values.map((value) => scene.hand("echo", { value }).output));
      assert.deepEqual(
        outputs,
        values.map((value) => ({ value })),
      );
    },
  },
  {
    title: "X1 the body is told what travels of its ctx, and its log lines are heard",
    async play(scene) {
      const handed = scene.hand("takesTime", { ms: 0 });
      const { told: heard } = (await handed.output) as { told: object };
      const { runId, graph, node, path, attempt, idempotencyKey, tags } = told;
      assert.deepEqual(heard, { runId, graph, node, path, attempt, idempotencyKey, ...tags });
      assert.deepEqual(handed.lines, [["warn", "at work", { attempt: told.attempt }]]);
    },
  },
  {
    title: "X5 a body begins when it is admitted, and not if it is refused",
    async play(scene) {
      let admit: () => void = () => undefined;
      const admitted = new Promise<void>((resolve) => (admit = resolve));
      const text = encodeAs("input", { ms: 0 });
      const waits = scene.hand("takesTime", { ms: 0 }, text, () => admitted);
      await sleep(200);
      assert.deepEqual(waits.starts, []);
      admit();
      await waits.output;
      assert.equal(waits.starts.length, 1);
      const refused = scene.hand("takesTime", { ms: 0 }, text, () => Promise.reject(new Error("it is another's")));
      assert.match(String(await thrownBy(refused)), /it is another's/);
      assert.deepEqual(refused.starts, []);
      assert.deepEqual(await scene.hand("echo", { value: 1 }).output, { value: 1 });
    },
  },
  {
    title: "X1 what a body throws is what its output rejects with",
    async play(scene) {
      const { name, message, code, data, cause } = (await thrownBy(scene.hand("refuses", {}))) as Error &
        Record<string, unknown>;
      assert.deepEqual([name, message, code, data], ["Refusal", "no", "E_REFUSED", { tried: 2 }]);
      assert.match(String(cause), /because/);
      assert.equal(await thrownBy(scene.hand("throwsText", {})), "only text");
      assert.match(String(await thrownBy(scene.hand("givesFunction", {}))), /output\.f/);
    },
  },
  {
    title: "X1 run throws nothing, also for what it cannot run or read",
    async play(scene) {
      await thrownBy(scene.hand("echo", {}, "not what the journal writes"));
      assert.deepEqual(await scene.hand("echo", { value: 1 }).output, { value: 1 });
    },
  },
  {
    title: "X1 an abandoned task rejects, and one that is through stays as it is",
    async play(scene) {
      const through = scene.hand("echo", { value: 1 });
      await through.output;
      through.execution.abandon();
      assert.deepEqual(await through.output, { value: 1 });
      const handed = scene.hand("takesTime", { ms: 60_000 });
      handed.execution.abandon();
      handed.execution.abandon();
      await thrownBy(handed);
    },
  },
  {
    title: "X2 abandoning ends a body that never gives way",
    async play(scene) {
      const handed = await scene.spinning("marks");
      handed.execution.abandon();
      await thrownBy(handed);
      await sleep(500);
      const left = scene.marks("marks");
      await sleep(300);
      assert.equal(scene.marks("marks"), left);
    },
  },
  {
    title: "X2 what runs beside an abandoned body and what comes after it is not harmed",
    async play(scene) {
      const spinning = await scene.spinning("marks");
      const beside = scene.hand("takesTime", { ms: 300 });
      while (beside.starts.length === 0) await sleep(10);
      const waiting = [1, 2, 3].map((value) => scene.hand("echo", { value }));
      spinning.execution.abandon();
      await beside.output;
      const outputs = await Promise.all(waiting.map(({ output }) => output));
      assert.deepEqual(outputs, [{ value: 1 }, { value: 2 }, { value: 3 }]);
    },
  },
  {
    title: "X3 started is called once, when the body begins and not when it is handed over",
    async play(scene) {
      const handed = Array.from({ length: 6 }, () => scene.hand("takesTime", { ms: 600 }));
      for (const { output, starts } of handed) {
        const { began } = (await output) as { began: number };
        assert.equal(starts.length, 1);
        assert.ok(Math.abs(starts[0]! - began) < slack, `started ${starts[0]! - began} ms after the body began`);
      }
    },
  },
  {
    title: "X3 a task that was abandoned while it waited never starts",
    async play(scene) {
      const running = [1, 2].map(() => scene.hand("takesTime", { ms: 300 }));
      const waiting = scene.hand("takesTime", { ms: 0 });
      waiting.execution.abandon();
      await Promise.all(running.map(({ output }) => output));
      await scene.hand("echo", { value: 1 }).output;
      assert.deepEqual([waiting.starts, waiting.lines], [[], []]);
    },
  },
  {
    title: "X4 a body that takes its worker down fails, worth another attempt, and nothing else does",
    async play(scene) {
      const beside = scene.hand("takesTime", { ms: 500 });
      const thrown = await thrownBy(scene.hand("exits", {}));
      assert.ok(isTransient(thrown), `${String(thrown)} is not tried again by default`);
      await beside.output;
      assert.deepEqual(await scene.hand("echo", { value: 1 }).output, { value: 1 });
    },
  },
  {
    title: "it lets go when the last engine closes it, and not before",
    async play(scene) {
      scene.executor.open();
      await scene.executor.close();
      assert.deepEqual(await scene.hand("echo", { value: 1 }).output, { value: 1 });
      const handed = [1, 2, 3].map(() => scene.hand("takesTime", { ms: 60_000 }));
      const thrown = Promise.all(handed.map(thrownBy));
      await scene.executor.close();
      await thrown;
      scene.executor.open();
    },
  },
];
