import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";

import { isTransient } from "../../runtime/retry.ts";
import { told, type HandedTask, type TaskExecutorCase } from "./scene.ts";

/** What a task came to, whatever that is. */
async function thrownBy({ outcome }: HandedTask): Promise<unknown> {
  try {
    await outcome;
  } catch (thrown) {
    return thrown;
  }
  return assert.fail("it gave an outcome");
}

const atEnd = { goto: null };

export const taskExecutorCases: readonly TaskExecutorCase[] = [
  {
    title: "E1 E5 an outcome is the steps that the body gave, for many at once, and an input is asked for once at most",
    async play(scene) {
      const values = [undefined, -0, 10n, new Date(0), new Map([["a", new Set([1])]]), ["é 🌊", "\ud800"], { x: null }];
      const handed = values.map((value) => scene.hand("echo", value));
      const outcomes = await Promise.all(handed.map(({ outcome }) => outcome));
      assert.deepEqual(
        outcomes,
        values.map((value) => ({ steps: [{ write: { value } }, atEnd] })),
      );
      for (const { inputs } of handed) assert.ok(inputs.length <= 1);
      assert.deepEqual(await scene.hand("cancels", null).outcome, { steps: [], cancel: true });
    },
  },
  {
    title: "E3 E6 a body is told what travels; that it started and what it tells is heard in order, before its outcome",
    async play(scene) {
      const handed = scene.hand("tells", 1);
      const { runId, thread, attempt, idempotencyKey } = told;
      assert.deepEqual(await handed.outcome, {
        steps: [{ write: { value: { runId, thread, step: 3, attempt, idempotencyKey } } }],
      });
      assert.deepEqual(handed.heard, [
        "started",
        ["told", { name: "first", value: 1 }],
        ["told", { value: 2 }],
        ["told", { value: 3 }],
        ["log", "warn", "told", { attempt }],
        "settled",
      ]);
    },
  },
  {
    title: "E1 what a body throws is what its outcome rejects with",
    async play(scene) {
      const { name, message, code } = (await thrownBy(scene.hand("refuses", null))) as Error & { code: unknown };
      assert.deepEqual([name, message, code], ["Refusal", "no", "E_REFUSED"]);
    },
  },
  {
    title: "E1 a task that is nowhere is refused by its name",
    async play(scene) {
      assert.match(String(await thrownBy(scene.hand("echo", 1, { graph: "nowhere" }))), /nowhere/);
      assert.deepEqual(await scene.hand("echo", 1).outcome, { steps: [{ write: { value: 1 } }, atEnd] });
    },
  },
  {
    title: "E4 a body begins when it is admitted, and not if it is refused",
    async play(scene) {
      let admit: () => void = () => undefined;
      const admitted = new Promise<void>((resolve) => (admit = resolve));
      const waits = scene.hand("echo", 1, { admitted: () => admitted });
      await sleep(50);
      assert.deepEqual(waits.heard, []);
      admit();
      await waits.outcome;
      assert.deepEqual(waits.heard, ["started", "settled"]);
      const refused = scene.hand("echo", 1, { admitted: () => Promise.reject(new Error("it is another's")) });
      assert.match(String(await thrownBy(refused)), /it is another's/);
      assert.deepEqual(refused.heard, ["settled"]);
    },
  },
  {
    title: "E1 E2 an abandoned task rejects and its body ends; one that is through stays as it is",
    async play(scene) {
      const through = scene.hand("echo", 1);
      await through.outcome;
      through.abandon();
      assert.deepEqual(await through.outcome, { steps: [{ write: { value: 1 } }, atEnd] });
      const handed = await scene.ticking("marks");
      handed.abandon();
      handed.abandon();
      await thrownBy(handed);
      for (let before = -1; before !== scene.marks("marks"); await sleep(100)) before = scene.marks("marks");
      assert.deepEqual(await scene.hand("echo", 2).outcome, { steps: [{ write: { value: 2 } }, atEnd] });
    },
  },
  {
    title: "E7 a body that takes its process down fails, worth another attempt, and nothing else does",
    async play(scene) {
      const thrown = await thrownBy(scene.hand("exits", null));
      assert.ok(isTransient(thrown), `${String(thrown)} is not tried again by default`);
      assert.deepEqual(await scene.hand("echo", 1).outcome, { steps: [{ write: { value: 1 } }, atEnd] });
    },
  },
  {
    title: "it lets go when the last engine closes it, and not before",
    async play(scene) {
      scene.executor.open();
      await scene.executor.close();
      assert.deepEqual(await scene.hand("echo", 1).outcome, { steps: [{ write: { value: 1 } }, atEnd] });
      const handed = await scene.ticking("marks");
      handed.abandon();
      await scene.executor.close();
      await thrownBy(handed);
      scene.executor.open();
    },
  },
];
