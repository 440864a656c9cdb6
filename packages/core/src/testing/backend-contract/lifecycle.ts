import assert from "node:assert/strict";

import { appendTo, mustGet, newRun, readAll, started } from "./fixtures.ts";
import type { ContractCase } from "./scene.ts";

export const lifecycleCases: readonly ContractCase[] = [
  {
    title: "closing twice, at once or later, and closing what was never opened, is harmless",
    async play(scene) {
      const backend = await scene.open("a");
      await Promise.all([backend.close(), backend.close()]);
      await backend.close();
      await (await scene.connect()).close();
    },
  },
  {
    title: "close waits for what was asked before it",
    async play(scene) {
      const backend = await scene.open("a");
      const { id, epoch } = await started(backend, "r");
      const pending = Array.from({ length: 30 }, (_, i) => backend.append(appendTo({ id, epoch, lastSeq: i + 1 })));
      await backend.close();
      assert.ok((await Promise.all(pending)).every((result) => result.type === "ok"));
      assert.equal((await mustGet(await scene.open("b"), "r")).lastSeq, 31);
    },
  },
  {
    title: "before open and after close every call is refused with an error that has a code",
    async play(scene) {
      const closed = await scene.open("a");
      await closed.close();
      for (const backend of [closed, await scene.connect()]) {
        await assert.rejects(backend.create(newRun("r")), { code: "BackendNotOpen" });
        await assert.rejects(backend.append(appendTo({ id: "r", epoch: 1, lastSeq: 1 })), { code: "BackendNotOpen" });
        await assert.rejects(readAll(backend, "r"), { code: "BackendNotOpen" });
        await assert.rejects(backend.get("r"), { code: "BackendNotOpen" });
        await assert.rejects(backend.claim({ statuses: [], limit: 1, at: 1 }), { code: "BackendNotOpen" });
        await assert.rejects(backend.putBlob("h", new Uint8Array(1)), { code: "BackendNotOpen" });
      }
    },
  },
  {
    title: "a handle serves one owner; a live owner's name is taken; a closed handle may be opened again",
    async play(scene) {
      const backend = await scene.open("a");
      await assert.rejects(backend.open("b"), { code: "BackendInUse" });
      await assert.rejects((await scene.connect()).open("a"), { code: "OwnerInUse" });
      await started(backend, "r");
      await backend.close();
      await backend.open("c");
      assert.equal((await mustGet(backend, "r")).owner, null);
      assert.equal((await backend.claim({ statuses: ["running"], limit: 1, at: 1 }))[0]?.owner, "c");
    },
  },
  {
    title: "two engines see each other's writes at once",
    async play(scene) {
      const a = await scene.open("a");
      const b = await scene.open("b");
      const run = await started(a, "r");
      assert.deepEqual({ ...(await mustGet(b, "r")) }, { ...run });
      await a.append(appendTo(run, { status: "completed" }));
      assert.equal((await mustGet(b, "r")).status, "completed");
      assert.equal((await readAll(b, "r")).length, 2);
    },
  },
];
