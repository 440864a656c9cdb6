/** Router: one of three arms runs, chosen by what an op found out. A missing arm would not compile. */
import { graph, op, openEngine, route, text, type Ref } from "millrace";

type Kind = "billing" | "tech" | "other";

const classify = op("classify", async ({ ticket }: { ticket: string }) => {
  const kind: Kind = /invoice|refund/.test(ticket) ? "billing" : /error|crash/.test(ticket) ? "tech" : "other";
  return { kind };
});
const lookUp = op("lookUp", async ({ ticket }: { ticket: string }) => ({ balance: ticket.length }));
const diagnose = op("diagnose", async ({ ticket }: { ticket: string }) => ({ cause: `a bug in "${ticket}"` }));

const triage = graph("triage", (input: Ref<{ ticket: string }>) => {
  const { kind } = classify({ ticket: input.ticket });
  const reply = route("kind", kind, {
    billing: () => ({ text: text`You have ${lookUp({ ticket: input.ticket }).balance} to pay.` }),
    tech: () => ({ text: text`We found ${diagnose({ ticket: input.ticket }).cause}.` }),
    other: () => ({ text: "We will come back to you." }),
  });
  return { kind, reply: reply.text };
});

const ran: string[] = [];
const engine = await openEngine({ observer: { attemptStarted: ({ node }) => void ran.push(node) } });
for (const ticket of ["my invoice", "it says error 5", "hello"])
  console.log(await engine.run(triage, { ticket }), ran.splice(0));
await engine.close();
