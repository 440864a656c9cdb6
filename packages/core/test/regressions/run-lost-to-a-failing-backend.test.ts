import { expect, test } from "vitest";
import { graph, memory, op, type Backend, type Ref } from "../../src/index.ts";
import { open } from "../acceptance/support/engines.ts";

let bodies = 0;
const step = op("step", async ({ x }: { x: number }) => {
  bodies++;
  return { x: x + 1 };
});
const two = graph("two", (input: Ref<{ x: number }>) => ({
  x: step({ x: step({ x: input.x }).x }, { name: "second" }).x,
}));

test("C17 H18 a run lost to a backend that fails for a while goes on in the same engine once it works again", async () => {
  const store = memory();
  let broken = true;
  const failing = (): Promise<never> => Promise.reject(new Error("locked"));
  const backend: Backend = new Proxy(store, {
    get(target, name: keyof Backend) {
      if (broken && (name === "append" || name === "release")) return failing;
      const member: unknown = target[name];
      return typeof member === "function" ? (member as (...given: unknown[]) => unknown).bind(target) : member;
    },
  });
  const engine = await open({ backend, graphs: [two] });
  const handle = await engine.start(two, { x: 1 }, { id: "r" });
  await expect(handle.result()).rejects.toThrow("locked");
  broken = false;
  expect(await (await engine.resume("r")).result()).toMatchObject({ status: "completed", output: { x: 3 } });
  expect(bodies).toBeLessThanOrEqual(3);
});
