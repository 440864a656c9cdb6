/**
 * An owner in a process of its own: `owner.ts <what> <JSON of its options>`. It says what happens on its standard output, a
 * line each, and what it is told comes on its standard input.
 */
import { createInterface } from "node:readline";

import { postgres, type PostgresBackend, type PostgresOptions } from "@millrace/postgres";
import { Connection } from "pg";

import { rowOf } from "../support/row.ts";

export interface OwnerSettings extends PostgresOptions {
  readonly url: string;
  readonly owner: string;
  readonly runs: readonly string[];
}

const settings = JSON.parse(process.argv[3] ?? "{}") as OwnerSettings;
const backend = postgres(settings.url, settings);

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

async function create(owner: PostgresBackend): Promise<void> {
  for (const id of settings.runs) {
    await owner.create({ id, graph: "g", fingerprint: "f", createdAt: Date.now(), first: rowOf(1) });
  }
}

/** Appends until the run is lost. */
async function appendTo(owner: PostgresBackend, runId: string): Promise<void> {
  for (let seq = 2; ; seq += 1) {
    const result = await owner.append({ runId, epoch: 1, row: rowOf(seq), at: Date.now() });
    if (result.type === "ok") continue;
    say(`lost ${runId} at ${seq} alive ${owner.alive?.()}`);
    return;
  }
}

/** Stands still in the middle of an append: the server has executed it, and is never told to commit. */
function freezeBeforeSync(): void {
  const { prototype } = Connection as unknown as {
    prototype: { sync(): void; stream: { uncork(): void; cork(): void } };
  };
  const sync = Reflect.get<typeof prototype, "sync">(prototype, "sync");
  let isFrozen = false;
  prototype.sync = function (this: typeof prototype) {
    if (!isFrozen) {
      isFrozen = true;
      this.stream.uncork();
      process.kill(process.pid, "SIGSTOP");
      this.stream.cork();
    }
    sync.call(this);
  };
}

const programs: Readonly<Record<string, () => Promise<void>>> = {
  /** Appends to all its runs until they are lost. */
  async append() {
    await backend.open(settings.owner);
    await create(backend);
    say("ready");
    await Promise.all(settings.runs.map((id) => appendTo(backend, id)));
    await backend.close();
  },
  async freeze() {
    await backend.open(settings.owner);
    await create(backend);
    freezeBeforeSync();
    const [id = ""] = settings.runs;
    say("ready");
    const result = await backend
      .append({ runId: id, epoch: 1, row: rowOf(2), at: Date.now() })
      .catch((error: unknown) => ({ type: String(error) }));
    say(`append ${result.type}`);
    await backend.close();
  },
  /** Asks for the runs of others until it is told to stop, and says how many it got, and when. */
  async claim() {
    await backend.open(settings.owner);
    let claimed = 0;
    const state = { isStopped: false };
    void told("stop").then(() => (state.isStopped = true));
    say("ready");
    while (!state.isStopped) {
      claimed += (await backend.claim({ statuses: ["running"], limit: 10, at: Date.now() })).length;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    say(`claimed ${claimed}`);
    await backend.close();
  },
};

await programs[process.argv[2] ?? ""]!();
