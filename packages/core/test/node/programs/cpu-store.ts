import { op } from "../../../src/index.ts";

/** A body on another thread that asks for the store. */
export const usesStore = op("usesStore", { bound: "cpu", async: true }, async ({ n }: { n: number }, ctx) => {
  await ctx.store.put(["a"], "k", n);
  return { n };
});
