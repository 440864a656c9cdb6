import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, onTestFinished, test } from "vitest";

import { openEngine } from "../../src/index.ts";
import { asking, type AskingSettings } from "./asking-program.ts";
import { Child } from "./child.ts";
import { urlOf, type ServerHarness } from "./harness.ts";

function settingsOf(harness: ServerHarness, timeout: number): AskingSettings {
  const folder = mkdtempSync(join(tmpdir(), "millrace-questions-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return { url: urlOf(harness), place: harness.fresh(), ledger: join(folder, "ledger"), timeout, answer: 0 };
}

/** `program` calls `playAsking`. */
export function questionTests(harness: ServerHarness, program: URL): void {
  test("F14 a run that asks is killed, another process answers, and what was done before is done once", async () => {
    const settings = settingsOf(harness, 60_000);
    const owner = new Child(program, "ask", settings);
    await owner.said("asked");
    owner.signal("SIGKILL");
    await owner.exited;
    const other = new Child(program, "answer", { ...settings, answer: 7 });
    await other.said("ready");
    other.tell("go");
    expect(await other.said("said")).toBe("said answered");
    const backend = harness.backend(settings.url, settings.place, { lease: "2s" });
    const engine = await openEngine({ backend, graphs: [asking(settings.timeout)], poll: "100ms" });
    onTestFinished(() => engine.close());
    await expect.poll(() => engine.get("r"), { timeout: 15_000 }).toMatchObject({ output: { said: 7 } });
    expect(readFileSync(settings.ledger, "utf8")).toBe("charged\nconfirmed 7\n");
  });

  test("K10 two processes answer a question and its time ends, all at one moment: one wins, and all learn which", async () => {
    const settings = settingsOf(harness, 1_500);
    const answerers = [7, 8].map((answer) => new Child(program, "answer", { ...settings, answer }));
    await Promise.all(answerers.map((child) => child.said("ready")));
    const owner = new Child(program, "ask", settings);
    await owner.said("asked");
    await new Promise((resolve) => setTimeout(resolve, 1_450));
    for (const child of answerers) child.tell("go");
    const told = await Promise.all(answerers.map((child) => child.said("said")));
    const { said } = JSON.parse(await owner.said("{")) as { said: number };
    const lost = expect.stringMatching(/^said (InterruptAnswered|InterruptNotFound|RunEnded)$/) as string;
    expect(told).toEqual([7, 8].map((answer) => (answer === said ? "said answered" : lost)));
    expect([7, 8, -1]).toContain(said);
    expect(readFileSync(settings.ledger, "utf8")).toBe(`charged\nconfirmed ${said}\n`);
  });
}
