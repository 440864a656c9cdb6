import { expect, test } from "vitest";
import { runToEnd } from "./child.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const folders = new Set(["runs.db-owners", ".millrace"]);
const expected = ["runs.db", "runs.db-wal", "runs.db-shm", "runs.db-owners", "traces.db", "traces.db-wal", "cache.db"];

// As root every file can be read; the modes are what counts.
test.each(["000", "022", "077"])(
  "HAZARDS 10: what is stored is its owner's alone while it is open, under umask %s: database, WAL, locks, traces, cache",
  (umask) => {
    const folder = temporaryFolder();
    try {
      const { stdout, stderr } = runToEnd("leave-files", [folder.path, umask]);
      expect(stderr).toBe("");
      const modes = JSON.parse(stdout) as Record<string, string>;
      expect(expected.filter((name) => !(name in modes))).toEqual([]);
      expect(Object.keys(modes).some((name) => name.endsWith(".lock"))).toBe(true);
      expect(Object.keys(modes).some((name) => name.startsWith(".millrace/traces.db"))).toBe(true);
      delete modes[".millrace/.gitignore"];
      for (const [name, mode] of Object.entries(modes))
        expect([name, mode]).toEqual([name, folders.has(name) ? "700" : "600"]);
    } finally {
      folder.remove();
    }
  },
);
