import { EventEmitter } from "node:events";
import { describe, expect, test } from "vitest";
import { exitCodeOfStatus } from "../../src/cli/exit.ts";
import { invokedAs, quote, resumeCommand } from "../../src/cli/process/invocation.ts";
import { nearest } from "../../src/cli/nearest.ts";
import { nodeTree } from "../../src/cli/runs/node-tree.ts";
import { onStopSignals } from "../../src/cli/process/stop-signals.ts";

describe("the nearest name", () => {
  test.each([
    ["inbxo", ["inbox", "outbox"], "inbox"],
    ["Inbox", ["inbox"], "inbox"],
    ["01f2", ["01f2aa", "02f2aa"], "01f2aa"],
    ["zebra", ["inbox", "outbox"], undefined],
    ["", ["inbox"], undefined],
    ["a", [], undefined],
  ])("of %j among %j is %j", (word, candidates, expected) => {
    expect(nearest(word, candidates)).toBe(expected);
  });
});

describe("the command that resumes", () => {
  const command = {
    invokedAs: "millrace",
    runId: "run-1",
    graph: "flows/inbox.ts#inbox",
    db: "runs.db",
    platform: "linux",
  };

  test("can be pasted as it is", () => {
    expect(resumeCommand(command)).toBe("millrace resume run-1 --graph flows/inbox.ts#inbox --db runs.db");
    expect(resumeCommand({ ...command, durability: "async" })).toMatch(/ --durability async$/);
  });

  test("quotes what a shell would take apart", () => {
    expect(quote("it's here/a b.db", "linux")).toBe(String.raw`'it'\''s here/a b.db'`);
    expect(quote("C:\\my runs\\a.db", "win32")).toBe('"C:\\my runs\\a.db"');
    expect(quote("C:\\runs\\a.db", "win32")).toBe("C:\\runs\\a.db");
    expect(quote("#x", "linux")).toBe("'#x'");
  });

  test("starts with what started this program", () => {
    expect(invokedAs("/usr/bin/millrace", {}, "linux")).toBe("millrace");
    expect(invokedAs("/x/node_modules/.bin/millrace", { npm_command: "exec" }, "linux")).toBe("npx millrace");
    expect(invokedAs("/x/src/cli/main.ts", {}, "linux")).toBe("node /x/src/cli/main.ts");
    expect(invokedAs("C:\\x\\dist\\cli\\main.js", {}, "win32")).toBe("millrace");
  });
});

describe("stop signals", () => {
  function stage(): { emitter: EventEmitter; log: string[]; signals: ReturnType<typeof onStopSignals> } {
    const emitter = new EventEmitter();
    const log: string[] = [];
    const signals = onStopSignals(emitter, {
      draining: (signal) => void log.push(`draining ${signal}`),
      stopNow: () => void log.push("stop"),
    });
    return { emitter, log, signals };
  }
  const runTold = (log: string[]): { drain(): Promise<void> } => ({ drain: async () => void log.push("drain") });

  test("the first drains, the second stops at once", () => {
    const { emitter, log, signals } = stage();
    signals.watch(runTold(log));
    emitter.emit("SIGINT", "SIGINT");
    emitter.emit("SIGTERM", "SIGTERM");
    expect(log).toEqual(["draining SIGINT", "drain", "stop"]);
  });

  test("one that came before the run drains it as soon as it is there", () => {
    const { emitter, log, signals } = stage();
    emitter.emit("SIGTERM", "SIGTERM");
    signals.watch(runTold(log));
    expect(log).toEqual(["draining SIGTERM", "drain"]);
  });

  test("are left alone afterwards", () => {
    const { emitter, signals } = stage();
    signals.release();
    expect(emitter.listenerCount("SIGINT") + emitter.listenerCount("SIGTERM")).toBe(0);
  });
});

test("scoped names become a tree", () => {
  const counts = (node: string): { node: string; finished: number; failed: number } => ({
    node,
    finished: 1,
    failed: 0,
  });
  expect(
    nodeTree(["read", "fast/parse", "fast/deep/mark", "report"].map(counts)).map((line) => [
      line.label,
      line.counts?.node,
    ]),
  ).toEqual([
    ["read", "read"],
    ["fast", undefined],
    ["  parse", "fast/parse"],
    ["  deep", undefined],
    ["    mark", "fast/deep/mark"],
    ["report", "report"],
  ]);
});

test("a run that rests ends the process by its status", () => {
  expect(
    ["completed", "failed", "cancelled", "interrupted", "drained"].map((status) => exitCodeOfStatus(status as never)),
  ).toEqual([0, 1, 1, 4, 6]);
});
