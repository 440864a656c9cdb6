/**
 * An owner in a process of its own: `<program> <what> <JSON of its options>`. It says what happens on its standard output, a
 * line each, and what it is told comes on its standard input.
 */
import { createInterface } from "node:readline";

import type { ServerBackend } from "../../src/adapter/index.ts";
import { rowOf } from "./row.ts";

export interface OwnerSettings {
  readonly url: string;
  /** Schema or prefix. */
  readonly place: string;
  readonly owner: string;
  readonly runs: readonly string[];
  readonly lease: number;
}

export interface OwnerProgram {
  backend(settings: OwnerSettings): ServerBackend<unknown>;
  /** Stops the process in the middle of a transaction, when the server holds locks and waits for it. */
  freeze(): void;
}

type Play = (backend: ServerBackend<unknown>, settings: OwnerSettings, freeze: () => void) => Promise<void>;

export async function playOwner(program: OwnerProgram): Promise<void> {
  const [, , what = "", json = "{}"] = process.argv;
  const settings = JSON.parse(json) as OwnerSettings;
  const backend = program.backend(settings);
  await backend.open(settings.owner);
  for (const id of settings.runs) {
    await backend.create({ id, graph: "g", fingerprint: "f", createdAt: Date.now(), first: rowOf(1) });
  }
  await plays[what]!(backend, settings, () => program.freeze());
  await backend.close();
}

const plays: Readonly<Record<string, Play>> = {
  /** Appends to all its runs until they are lost. */
  async append(backend, { runs }) {
    say("ready");
    await Promise.all(runs.map((id) => appendTo(backend, id)));
  },
  async "frozen append"(backend, { runs }, freeze) {
    freeze();
    say("ready");
    const [runId = ""] = runs;
    const result = await backend
      .append({ runId, epoch: 1, row: rowOf(2), at: Date.now() })
      .catch((error: unknown) => ({ type: String(error) }));
    say(`append ${result.type}`);
  },
  async "frozen claim"(backend, _settings, freeze) {
    freeze();
    say("ready");
    say(`claimed ${await claimed(backend).catch((error: unknown) => (error as { code: string }).code)}`);
  },
  /** Asks for the runs of others until it is told to stop, and says how many it got. */
  async claim(backend) {
    let count = 0;
    const state = { isStopped: false };
    void told("stop").then(() => (state.isStopped = true));
    say("ready");
    while (!state.isStopped) {
      count += await claimed(backend);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    say(`claimed ${count}`);
  },
};

async function claimed(backend: ServerBackend<unknown>): Promise<number> {
  return (await backend.claim({ statuses: ["running"], limit: 10, at: Date.now() })).length;
}

async function appendTo(owner: ServerBackend<unknown>, runId: string): Promise<void> {
  for (let seq = 2; ; seq += 1) {
    const result = await owner.append({ runId, epoch: 1, row: rowOf(seq), at: Date.now() });
    if (result.type === "ok") continue;
    say(`lost ${runId} at ${seq} alive ${owner.alive?.()}`);
    return;
  }
}

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
