/** Fallback: when the big model gives up after its last attempt, the small one answers, and the result says so. */
import { derive, fallback, graph, op, openEngine, type Ref } from "millrace";

let attempts = 0;
const big = op("big", { retry: { attempts: 3, initial: 1, on: () => true } }, async ({ q }: { q: string }) => {
  attempts++;
  if (q.length > 5) throw new Error("too long for me");
  return { answer: `${q}: 42`, degraded: false };
});
const small = op("small", async ({ q, because }: { q: string; because: string }) => ({
  answer: `${q}: who knows (${because})`,
  degraded: true,
}));

const ask = graph("ask", (input: Ref<{ q: string }>) => {
  const reply = fallback(
    "reply",
    () => big({ q: input.q }),
    (error) => small({ q: input.q, because: error.message }),
  );
  return { answer: reply.answer, mark: derive(reply.degraded, (degraded) => (degraded ? "(small)" : "(big)")) };
});

const engine = await openEngine();
for (const q of ["why", "whatever for"]) {
  const result = await (await engine.start(ask, { q })).result();
  if (result.status === "completed") console.log(result.output);
  console.log(
    `attempts: ${attempts}, errors:`,
    result.errors.map(({ node, handled }) => ({ node, handled })),
  );
}
await engine.close();
