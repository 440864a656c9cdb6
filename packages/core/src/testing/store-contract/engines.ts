import assert from "node:assert/strict";
import { graph } from "../../build/graph.ts";
import { op } from "../../build/op.ts";
import { openEngine } from "../../engine/engine.ts";
import type { OpCtx } from "../../model/op.ts";
import type { Ref } from "../../model/ref.ts";
import { storeDelete, storeGet, storePut, storeSearch } from "../../store/ops.ts";
import type { ContractCase } from "../backend-contract/scene.ts";

const remember = graph("remember", (input: Ref<{ user: string; fact: string }>) => ({
  key: storePut({ namespace: ["users", input.user], key: "fact", value: { text: input.fact, of: input.user } }).key,
}));
const recall = graph("recall", (input: Ref<{ user: string; words: string }>) => ({
  value: storeGet({ namespace: ["users", input.user], key: "fact" }).value,
  items: storeSearch({ prefix: ["users"], query: input.words, filter: { of: { $ne: "eve" } } }).items,
}));
const forget = op("forget", async ({ user }: { user: string }, ctx: OpCtx) => {
  const before = await ctx.store.get(["users", user], "fact");
  await storeDelete.fn({ namespace: ["users", user], key: "fact" }, { store: ctx.store });
  return { had: before !== undefined, has: (await ctx.store.get(["users", user], "fact")) !== undefined };
});

export const engineCases: readonly ContractCase[] = [
  {
    title:
      "R21 what runs put with the ops of the store, later runs of another engine get and find, and their bodies too",
    async play(scene) {
      const first = await openEngine({ backend: await scene.connect(), graphs: [remember] });
      for (const user of ["ann", "bob", "eve"]) await first.run(remember, { user, fact: `${user} likes TEA` });
      await first.close();
      const second = await openEngine({ backend: await scene.connect(), graphs: [recall] });
      try {
        const { value, items } = await second.run(recall, { user: "bob", words: "tea likes" });
        assert.deepEqual(value, { text: "bob likes TEA", of: "bob" });
        assert.deepEqual(
          items.map((item) => [item.namespace, item.key]),
          [
            [["users", "ann"], "fact"],
            [["users", "bob"], "fact"],
          ],
        );
        assert.deepEqual(await second.run(forget, { user: "bob" }), { had: true, has: false });
        assert.equal((await second.run(recall, { user: "bob", words: "tea" })).value, undefined);
      } finally {
        await second.close();
      }
    },
  },
];
