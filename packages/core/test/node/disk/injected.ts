/** Faults of the disk, injected with strace: which call fails, and how. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface Fault {
  readonly call: "fsync" | "pwrite64";
  readonly how: "EIO" | "ENOSPC" | "SIGKILL";
  /** That call alone, or all from there on. */
  readonly lasts: "once" | "from there on";
}

/** What SQLite can meet: a flush that fails, a write that fails, no room, and the end of the process. */
export const faults: readonly Fault[] = [
  { call: "fsync", how: "SIGKILL", lasts: "once" },
  { call: "fsync", how: "EIO", lasts: "once" },
  { call: "fsync", how: "EIO", lasts: "from there on" },
  { call: "pwrite64", how: "SIGKILL", lasts: "once" },
  { call: "pwrite64", how: "EIO", lasts: "once" },
  { call: "pwrite64", how: "EIO", lasts: "from there on" },
  { call: "pwrite64", how: "ENOSPC", lasts: "once" },
  { call: "pwrite64", how: "ENOSPC", lasts: "from there on" },
];

export interface Injected {
  readonly stdout: string;
  /** The call was made, and met its fault. */
  readonly hit: boolean;
  /** How many of the call there were. */
  readonly calls: number;
}

export function assertStrace(): void {
  const { error, status } = spawnSync("strace", ["-V"]);
  if (error !== undefined || status !== 0) throw new Error("strace must be installed", { cause: error });
}

/** Runs a command to its end, or kills it after `limit` milliseconds; the `when`th of its calls, from 1, meets the fault. */
export function runInjected(
  command: readonly string[],
  { call, how, lasts }: Fault,
  when: number,
  limit: number = 20_000,
): Injected {
  const folder = mkdtempSync(join(tmpdir(), "millrace-strace-"));
  const calls = join(folder, "calls");
  const effect = how === "SIGKILL" ? "signal=SIGKILL" : `error=${how}`;
  const injection = `inject=${call}:${effect}:when=${when}${lasts === "once" ? "" : "+"}`;
  // Without `--seccomp-bpf`, under which a signal comes at the first call or never. What takes too long is ended below strace, which
  // then tells what it did.
  const before = [
    "-f",
    "-o",
    calls,
    "-e",
    `trace=${call}`,
    "-e",
    injection,
    "timeout",
    "-s",
    "KILL",
    `${limit / 1_000}`,
  ];
  try {
    const { stdout } = spawnSync("strace", [...before, ...command], { encoding: "utf8", maxBuffer: 64 << 20 });
    const trace = readFileSync(calls, "utf8");
    const hit = how === "SIGKILL" ? trace.includes("killed by SIGKILL") : trace.includes("(INJECTED)");
    return { stdout, hit, calls: trace.split(`${call}(`).length - 1 };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
