/** A workflow over the engines of one backend: put aside in one, answered and finished in another. */
import { expect, test } from "vitest";
import { z } from "zod";
import { graph, op, openEngine, workflow, type Backend, type Ref } from "../../src/index.ts";

export function workflowTests(where: string, backend: () => Backend): void {
  test(`S11 a workflow that waits is built anew by another engine, and nothing that was over runs again, ${where}`, async () => {
    const began: string[] = [];
    const double = op("double", async ({ n }: { n: number; id: string }) => {
      began.push(`double ${n}`);
      return { n: n * 2 };
    });
    const part = graph("part", (input: Ref<{ n: number; id: string }>) => ({
      n: double({ n: input.n, id: input.id }).n,
    }));
    const flow = workflow(
      "flow",
      { uses: [double, part], asks: { ok: { answer: z.object({ yes: z.boolean() }) } }, emits: ["news"] },
      async (w, { n }: { n: number }) => {
        const [a, b] = await w.all([
          () => w.run(double, { n, id: w.uuid() }),
          () => w.run(part, { n: n + 1, id: `${w.now()}` }),
        ]);
        w.emit("news", { text: "é\u0000😀", at: new Date(w.now()) });
        const { yes } = await w.interrupt("ok", { sum: a.n + b.n });
        await w.sleep(1);
        return yes ? (await w.run(double, { n: a.n + b.n, id: w.uuid() })).n : 0;
      },
    );
    const first = await openEngine({ backend: backend(), graphs: [flow] });
    const handle = await first.start(flow, { n: 1 }, { id: "workflow" });
    expect(await handle.result()).toMatchObject({ status: "interrupted", interrupts: [{ payload: { sum: 6 } }] });
    await first.close();
    const second = await openEngine({ backend: backend(), graphs: [flow] });
    const answered = await second.answer("workflow", "ok", { yes: true });
    expect(await answered.result()).toMatchObject({ status: "completed", output: 12 });
    await second.close();
    expect(began.toSorted()).toEqual(["double 1", "double 2", "double 6"]);
  });
}
