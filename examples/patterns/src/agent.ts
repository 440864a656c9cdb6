/** Agent loop with approval: the model calls tools, dangerous ones wait for a person, and the run waits with them. */
import {
  collect,
  derive,
  each,
  graph,
  interrupt,
  loop,
  memory,
  op,
  openEngine,
  when,
  type Item,
  type Ref,
} from "millrace";
import { z } from "zod";

interface Message {
  readonly role: "user" | "assistant" | "tool";
  readonly content: string;
}
interface ToolCall {
  readonly id: string;
  readonly command: string;
}

// Stands for a model: it calls two tools, reads what they said, and answers.
const think = op("think", async ({ messages }: { messages: readonly Message[] }) => {
  const said = messages.filter(({ role }) => role === "tool");
  const calls: ToolCall[] =
    said.length > 0
      ? []
      : [
          { id: "1", command: "ls" },
          { id: "2", command: "rm -r /" },
        ];
  const content = said.length > 0 ? `I see: ${said.map((message) => message.content).join(", ")}` : "let me look";
  const message: Message = { role: "assistant", content };
  return { message, calls };
});
const runTool = op("runTool", async ({ call }: { call: ToolCall }) => {
  console.log(`ran ${call.command}`);
  const message: Message = { role: "tool", content: `${call.command} is done` };
  return { message };
});

const Verdict = z.object({ approved: z.boolean(), why: z.string().default("no reason") });

const agent = graph("agent", (input: Ref<{ question: string }>) => {
  const start = derive(input.question, (content): Message[] => [{ role: "user", content }]);
  const turns = loop("turns", { max: 10 }, { messages: start }, (state) => {
    const thought = think({ messages: state.messages });
    const call = each(thought.calls);
    const denied = (why: Ref<string, Item>) => ({
      message: derive([call.command, why], ([command, reason]): Message => ({
        role: "tool",
        content: `${command} was refused: ${reason}`,
      })),
    });
    const outcome = when(
      "dangerous",
      derive(call.command, (command) => command.startsWith("rm")),
      () => {
        const verdict = interrupt("approve", { command: call.command }, { answer: Verdict, title: "Run this?" });
        return when(
          "verdict",
          verdict.approved,
          () => runTool({ call }),
          () => denied(verdict.why),
        );
      },
      () => runTool({ call }),
    );
    const messages = derive([state.messages, thought.message, collect(outcome.message)], ([before, said, results]) => [
      ...before,
      said,
      ...results,
    ]);
    return {
      next: { messages },
      until: derive(thought.calls, (calls) => calls.length === 0),
      result: { answer: thought.message.content, messages: derive(messages, (all) => all.length) },
    };
  });
  return turns;
});

// With a database instead of `memory()`, days and processes may pass between question and answer.
const engine = await openEngine({ backend: memory(), graphs: [agent] });
const handle = await engine.start(agent, { question: "what is here?" }, { id: "run-1" });
const waiting = await handle.result();
console.log(
  waiting.status,
  handle.interrupts().map(({ path, payload }) => ({ path, payload })),
);

const answer = { approved: false, why: "never" };
const answered = await engine.answer("run-1", "turns/dangerous/then/approve", answer, { by: "me" });
console.log(await answered.output());
await engine.close();
