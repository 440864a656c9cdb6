import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { sqlite, type SqliteBackend } from "../../src/node/index.ts";
import type { Post } from "../../src/ports/inbox.ts";
import { appendTo, mustGet, started } from "../../src/testing/backend-contract/fixtures.ts";
import { Child, runToEnd } from "./child.ts";
import { temporaryFolder } from "./temporary-folder.ts";

let folder: ReturnType<typeof temporaryFolder>;
let file: string;
const opened: SqliteBackend[] = [];
const children: Child[] = [];
beforeEach(() => {
  folder = temporaryFolder();
  file = join(folder.path, "runs.db");
});
afterEach(async () => {
  for (const child of children.splice(0)) await child.end();
  for (const backend of opened.splice(0)) await backend.close();
  folder.remove();
});

function connect(path = file): SqliteBackend {
  const backend = sqlite(path);
  opened.push(backend);
  return backend;
}

async function open(owner: string, path = file): Promise<SqliteBackend> {
  const backend = connect(path);
  await backend.open(owner);
  return backend;
}

function child(program: string, ...args: string[]): Child {
  const started = new Child(program, ...args);
  children.push(started);
  return started;
}

function answer(runId: string, changes: Partial<Post> = {}): Post {
  const note = { runId, kind: "answer", key: "q", bytes: new Uint8Array([1]), by: "here", at: 5 } as const;
  return { ...note, wakes: ["interrupted"], ...changes };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

test("H62 B9 two processes post the same note at the same time: exactly one is kept, and the other one learns whose", async () => {
  const backend = await open("a");
  for (let round = 0; round < 3; round += 1) {
    const id = `r${round}`;
    await backend.append(appendTo(await started(backend, id), { status: "interrupted", release: true }));
    const signal = join(folder.path, `go-${round}`);
    const posters = ["left", "right"].map((name) => child("post-at", file, `${name}-${round}`, id, signal));
    await Promise.all(posters.map((poster) => poster.until("ready")));
    writeFileSync(signal, "");
    await Promise.all(posters.map((poster) => poster.until("-")));
    const [kept] = await backend.inbox(id);
    const lines = posters.map(({ stdout }) => stdout.split("\n")[1] ?? "").toSorted();
    expect(lines).toEqual([`exists ${kept?.by}`, `posted ${kept?.by}`]);
    expect(await backend.inbox(id)).toHaveLength(1);
    expect((await mustGet(backend, id)).status).toBe("queued");
  }
});

test("a note that one process posts is hinted at in another one", async () => {
  const backend = await open("a");
  await started(backend, "r");
  const waiting = child("wait-for-hint", file, "b", "r");
  await waiting.until("watching");
  // Long enough that no look at the file from before can be what finds it.
  await pause(250);
  expect(waiting.stdout).not.toContain("done");
  await backend.post(answer("r"));
  await waiting.until("done");
});

test("who listens does not keep the process alive", () => {
  const { status, stdout, stderr } = runToEnd("wait-for-hint", [file, "b"]);
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: "done\n", stderr: "" });
});

test("notes, releases and runs that are queued are hinted at to all handles of this process on the file, by whatever path", async () => {
  const early = connect();
  const heard = { early: vi.fn<() => void>(), late: vi.fn<() => void>() };
  early.onHint(heard.early);
  await early.open("early");
  symlinkSync(file, join(folder.path, "link.db"));
  const late = await open("late", join(folder.path, "link.db"));
  late.onHint(heard.late);
  const run = await started(late, "r");
  await pause(250);
  const expectHint = async (act: () => Promise<unknown>): Promise<void> => {
    for (const listener of Object.values(heard)) listener.mockClear();
    await act();
    await pause(0);
    expect(heard.early.mock.calls.length, "early").toBeGreaterThan(0);
    expect(heard.late.mock.calls.length, "late").toBeGreaterThan(0);
  };
  await expectHint(() => early.post(answer("r")));
  await expectHint(() => late.append(appendTo(run, { status: "interrupted", release: true })));
  expect((await mustGet(early, "r")).status).toBe("queued");
  const [claimed] = await early.claim({ statuses: ["queued"], limit: 1, at: 6 });
  await expectHint(() => early.release("r", claimed?.epoch ?? 0));
});

test("a handle that is closed hears nothing more, and hears again when it is opened again", async () => {
  const listener = vi.fn<() => void>();
  const backend = connect();
  backend.onHint(listener);
  await backend.open("a");
  const other = await open("b");
  await started(other, "r");
  await backend.close();
  await pause(50);
  listener.mockClear();
  await other.post(answer("r", { key: "1" }));
  await pause(250);
  expect(listener).not.toHaveBeenCalled();
  await backend.open("a");
  await other.post(answer("r", { key: "2" }));
  await pause(0);
  expect(listener).toHaveBeenCalled();
});

test(
  "a listener hears of what another connection writes while its own one never rests",
  { timeout: 30_000 },
  async () => {
    const listener = vi.fn<() => void>();
    const busy = connect();
    busy.onHint(listener);
    await busy.open("busy");
    const runs = await Promise.all(Array.from({ length: 20 }, (_, i) => started(busy, `r${i}`)));
    await pause(250);
    listener.mockClear();
    child("open-and-create", file);
    // Bounded, so that a listener that hears nothing fails the test; the other process takes its time to start.
    const end = performance.now() + 15_000;
    const goesOn = (): boolean => listener.mock.calls.length === 0 && performance.now() < end;
    const appending = runs.map(async ({ id, epoch }) => {
      for (let lastSeq = 1; goesOn(); lastSeq += 1) await busy.append(appendTo({ id, epoch, lastSeq }));
    });
    await Promise.all(appending);
    expect(listener).toHaveBeenCalled();
  },
);
