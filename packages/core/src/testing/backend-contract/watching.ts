import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import type { Backend } from "../../ports/backend.ts";
import { appendTo, mustGet, started } from "./fixtures.ts";
import type { ContractCase, Scene } from "./scene.ts";

const patienceMs = 15_000;

/** Appends to the run again and again; false: nobody was told in time. A hint may come late, and one of many may be lost. */
async function appendsUntil(owner: Backend, runId: string, told: () => boolean): Promise<boolean> {
  for (const since = performance.now(); !told() && performance.now() - since < patienceMs;) {
    await owner.append(appendTo(await mustGet(owner, runId)));
    await sleep(5);
  }
  return told();
}

/** As every engine does. */
async function listening(scene: Scene): Promise<Backend> {
  const owner = await scene.open("a");
  owner.onHint?.(() => undefined);
  return owner;
}

/** A backend that tells nobody is asked. */
export const watchingCases: readonly ContractCase[] = [
  {
    title: "who watches a run by another handle is told that it goes on, and nothing more once that is over",
    async play(scene) {
      const owner = await listening(scene);
      const other = await scene.open("b");
      if (other.watchRun === undefined) return;
      await started(owner, "r");
      const told = { first: 0, second: 0 };
      const unwatchFirst = other.watchRun("r", () => void told.first++);
      const unwatchSecond = other.watchRun("r", () => void told.second++);
      assert.equal(await appendsUntil(owner, "r", () => told.first > 0 && told.second > 0), true);
      unwatchFirst();
      const { first, second } = { ...told };
      assert.equal(await appendsUntil(owner, "r", () => told.second > second), true);
      assert.equal(told.first, first);
      unwatchSecond();
    },
  },
  {
    title: "who watches a run by the handle that appends to it is told too",
    async play(scene) {
      const owner = await listening(scene);
      if (owner.watchRun === undefined) return;
      await started(owner, "r");
      let told = 0;
      const unwatch = owner.watchRun("r", () => void told++);
      assert.equal(await appendsUntil(owner, "r", () => told > 0), true);
      unwatch();
    },
  },
];
