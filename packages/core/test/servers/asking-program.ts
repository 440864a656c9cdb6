/**
 * An engine in a process of its own: `<program> <what> <JSON of its settings>`. It asks a question and waits for the answer, or
 * answers one when it is told to, and says how that went.
 */
import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";

import { z } from "zod";

import { graph, interrupt, op, openEngine, type Backend, type Engine, type Graph, type Ref } from "../../src/index.ts";

export interface AskingSettings {
  readonly url: string;
  /** Schema or prefix. */
  readonly place: string;
  /** Where bodies write a line when they run. */
  readonly ledger: string;
  /** Milliseconds that the question is open. */
  readonly timeout: number;
  readonly answer: number;
}

const charge = op("charge", async ({ ledger }: { ledger: string }) => {
  appendFileSync(ledger, "charged\n");
  return { text: "charged" };
});
const confirm = op("confirm", async ({ ledger, said }: { ledger: string; said: number }) => {
  appendFileSync(ledger, `confirmed ${said}\n`);
  return { said };
});

export function asking(timeout: number): Graph<{ ledger: string }, { said: number }> {
  return graph("asking", (input: Ref<{ ledger: string }>) => {
    const { text } = charge({ ledger: input.ledger });
    const said = interrupt("ask", { text }, { answer: z.number(), timeout, default: -1 });
    return { said: confirm({ ledger: input.ledger, said }).said };
  });
}

export async function playAsking(connect: (settings: AskingSettings) => Backend): Promise<void> {
  const [, , what = "", json = "{}"] = process.argv;
  const settings = JSON.parse(json) as AskingSettings;
  const graphs = [asking(settings.timeout)];
  const engine = await openEngine({ backend: connect(settings), graphs, recover: what === "ask", poll: "100ms" });
  await plays[what]!(engine, settings);
}

const plays: Readonly<Record<string, (engine: Engine, settings: AskingSettings) => Promise<void>>> = {
  async ask(engine, { ledger, timeout }) {
    const handle = await engine.start(asking(timeout), { ledger }, { id: "r" });
    while (handle.interrupts().length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    say("asked");
    say(JSON.stringify(await handle.output()));
    await engine.close();
  },
  async answer(engine, { answer }) {
    say("ready");
    await told("go");
    const outcome = await engine.answer("r", "ask", answer).then(
      () => "answered",
      (error: unknown) => (error as { code: string }).code,
    );
    say(`said ${outcome}`);
    await engine.close();
  },
};

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function told(line: string): Promise<void> {
  const lines = createInterface({ input: process.stdin });
  return new Promise((resolve) => {
    lines.on("line", (text) => {
      if (text !== line) return;
      lines.close();
      process.stdin.pause();
      resolve();
    });
  });
}
