/** What is said to a run at rest while somebody takes it up. */
import assert from "node:assert/strict";
import type { Backend, RunRow, RunStatus } from "../../ports/backend.ts";
import type { Post } from "../../ports/inbox.ts";
import { appendTo, mustGet, started } from "./fixtures.ts";
import type { ContractCase } from "./scene.ts";

const atRest: readonly RunStatus[] = ["interrupted"];

function noteOf(key: string, changes: Partial<Post> = {}): Post {
  const bytes = new TextEncoder().encode(`answer to ${key}`);
  return { runId: "r", kind: "answer", key, bytes, by: "ada", at: 3_000, wakes: [], ...changes };
}

export const takenUpCases: readonly ContractCase[] = [
  {
    title:
      "B9 H65 a note for a run at rest that is just being taken up wakes it, should its owner die or give it back before it went on",
    async play(scene) {
      for (const [id, leaves] of [
        ["dies", (taker: Backend) => scene.crash(taker)],
        ["gives back", (taker: Backend, { epoch }: RunRow) => taker.release("gives back", epoch, true)],
      ] as const) {
        const [backend, taker] = [await scene.open(`owner ${id}`), await scene.open(`taker ${id}`)];
        const rest = { status: "interrupted", release: true, wakeAt: 90_000 } as const;
        await backend.append(appendTo(await started(backend, id), rest));
        const [taken] = await taker.claim({ runId: id, statuses: atRest, limit: 1, at: 3_000 });
        assert.ok(taken !== undefined);
        assert.equal((await backend.post(noteOf("p", { runId: id }))).type, "posted");
        assert.equal((await mustGet(backend, id)).wakeAt, 90_000, "a note that wakes nobody");
        const result = await backend.post(noteOf("q", { runId: id, wakes: atRest }));
        assert.equal(result.type === "posted" && result.row.status, "interrupted");
        assert.equal((await mustGet(backend, id)).owner, `taker ${id}`);
        const look = { statuses: ["queued"], due: true, limit: 1, at: 4_000 } as const;
        assert.deepEqual(await backend.claim(look), []);
        await leaves(taker, taken);
        assert.deepEqual(
          (await backend.claim({ ...look, at: 400_000 })).map((row) => [row.id, row.epoch]),
          [[id, 3]],
        );
      }
    },
  },
  {
    title: "B9 once it has gone on, a note that came before that is no reason to wake it again",
    async play(scene) {
      const backend = await scene.open("a");
      await backend.append(appendTo(await started(backend, "r"), { status: "interrupted", release: true }));
      const taker = await scene.open("b");
      const [taken] = await taker.claim({ runId: "r", statuses: atRest, limit: 1, at: 3_000 });
      await backend.post(noteOf("q", { wakes: atRest }));
      const handled = [{ kind: "answer", key: "q" }] as const;
      await taker.append(appendTo(taken!, { status: "running" }));
      assert.equal((await mustGet(backend, "r")).wakeAt, null);
      await taker.append(
        appendTo(await mustGet(taker, "r"), { status: "interrupted", release: true, handled, wakeAt: 90_000 }),
      );
      const row = await mustGet(backend, "r");
      assert.deepEqual([row.status, row.wakeAt, row.owner], ["interrupted", 90_000, null]);
    },
  },
];
