/** A workflow: an async function that classifies, drafts, asks a person where it is risky, and sends. */
import { memory, op, openEngine, workflow, type RunResult } from "millrace";
import { z } from "zod";

const classify = op("classify", async ({ ticket }: { ticket: string }) => ({
  category: /refund|invoice/.test(ticket) ? ("billing" as const) : ("other" as const),
  risk: ticket.includes("lawyer") ? 0.9 : 0.1,
}));
const draft = op("draft", async ({ prompt }: { prompt: string }) => ({ text: `About your ${prompt}: …` }));
const send = op("send", async ({ text, to }: { text: string; to: string }) => ({ id: `${to}: ${text}` }));

const support = workflow(
  "support",
  {
    uses: [classify, draft, send],
    asks: { approve: { answer: z.object({ approved: z.boolean() }), timeout: "3d", default: { approved: false } } },
  },
  async (w, input: { ticket: string; from: string }) => {
    const { category, risk } = await w.run(classify, { ticket: input.ticket });
    const reply =
      category === "other" ? { text: "We will come back to you." } : await w.run(draft, { prompt: input.ticket });
    const { approved } = risk > 0.3 ? await w.interrupt("approve", reply) : { approved: true };
    if (!approved) return { id: null };
    return w.run(send, { text: reply.text, to: input.from });
  },
);

const engine = await openEngine({ backend: memory(), graphs: [support] });
for (const ticket of ["hello", "refund, says my lawyer"]) {
  const handle = await engine.start(support, { ticket, from: "ann" });
  let result: RunResult<unknown> = await handle.result();
  if (result.status === "interrupted") {
    console.log("asked:", result.interrupts[0]?.payload);
    const answered = await engine.answer(handle.runId, "approve", { approved: true });
    result = await answered.result();
  }
  if (result.status === "completed") console.log(result.output);
}
await engine.close();
