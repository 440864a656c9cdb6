import { expect, test } from "vitest";
import { graph, interrupt, memory, type Backend, type Ref } from "../../src/index.ts";
import { open } from "../acceptance/support/engines.ts";
import { eventually, gate } from "../acceptance/support/gate.ts";
import { z } from "zod";

// The run went on in the same ownership, which the commit under way gave up: another engine could take it meanwhile.
test("a question that is answered while its run is being put aside is answered by who takes the run up again", async () => {
  const g = graph("asks", (input: Ref<{ n: number }>) => ({
    ok: interrupt("ok", { n: input.n }, { answer: z.number() }),
  }));
  const store = memory();
  const door = gate();
  let parking = false;
  const append: Backend["append"] = async (row) => {
    if (row.status === "interrupted") {
      parking = true;
      await door.opened;
    }
    return store.append(row);
  };
  const slow = new Proxy(store, {
    get: (of, key) => {
      const value: unknown = key === "append" ? append : Reflect.get(of, key, of);
      return typeof value === "function" ? (value.bind(of) as unknown) : value;
    },
  });
  const engine = await open({ backend: slow, graphs: [g] });
  const handle = await engine.start(g, { n: 1 }, { id: "run" });
  await eventually("the run is being put aside", () => parking);
  const answered = handle.answer("ok", 7);
  await new Promise((resolve) => setImmediate(resolve));
  door.open();
  await answered;
  expect(await (await engine.resume("run").catch(() => handle)).result()).toMatchObject({ status: "completed" });
  expect((await store.get("run"))?.epoch).toBe(2);
  await engine.close();
});
