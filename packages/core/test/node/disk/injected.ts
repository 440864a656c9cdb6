/** Faults of the disk, injected with strace: which call fails, and how. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
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

/** Without a call for so long, a command hangs. */
const hangsMs = 120_000;

/**
 * Runs a command to its end; the `when`th of its calls, from 1, meets the fault. It is killed when it goes on for `limit`
 * milliseconds after that, as one does whose disk is gone for good: until then it takes the time that it takes.
 */
export async function runInjected(
  command: readonly string[],
  { call, how, lasts }: Fault,
  when: number,
  limit: number = 20_000,
): Promise<Injected> {
  const folder = mkdtempSync(join(tmpdir(), "millrace-strace-"));
  const [calls, pid] = [join(folder, "calls"), join(folder, "pid")];
  const effect = how === "SIGKILL" ? "signal=SIGKILL" : `error=${how}`;
  const injection = `inject=${call}:${effect}:when=${when}${lasts === "once" ? "" : "+"}`;
  // Without `--seccomp-bpf`, under which a signal comes at the first call or never. The shell tells the number of what is below
  // strace: ended there, strace still tells what it did.
  const before = [
    "-f",
    "-o",
    calls,
    "-e",
    `trace=${call}`,
    "-e",
    injection,
    "sh",
    "-c",
    'echo $$ >"$0"; exec "$@"',
    pid,
  ];
  const traced = (): string => readFileSync(calls, { encoding: "utf8", flag: "a+" });
  const isHit = (trace: string): boolean =>
    how === "SIGKILL" ? trace.includes("killed by SIGKILL") : trace.includes("(INJECTED)");
  try {
    const strace = spawn("strace", [...before, ...command], { stdio: ["ignore", "pipe", "ignore"] });
    let stdout = "";
    strace.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    const isOver = patienceWith(limit, () => ({ length: traced().length, isHit: isHit(traced()) }));
    const watch = setInterval(() => {
      // It may have ended by itself just now.
      if (isOver()) spawnSync("kill", ["-KILL", readFileSync(pid, "utf8").trim()]);
    }, 100);
    await once(strace, "close").finally(() => clearInterval(watch));
    const trace = traced();
    return { stdout, hit: isHit(trace), calls: trace.split(`${call}(`).length - 1 };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Whether it has gone on for long enough after its fault, or hangs. */
function patienceWith(limit: number, look: () => { readonly length: number; readonly isHit: boolean }): () => boolean {
  let grownAt = performance.now();
  let hitAt: number | undefined;
  let before = 0;
  return () => {
    const now = performance.now();
    const { length, isHit } = look();
    if (length > before) grownAt = now;
    before = length;
    if (isHit) hitAt ??= now;
    return now - grownAt > hangsMs || now - (hitAt ?? now) > limit;
  };
}
