/** What needs attention in and around a database. */
import { statfsSync } from "node:fs";
import { dirname } from "node:path";
import type { BackendStats, RunRow } from "@millrace/core";
import type { Store } from "../database.ts";
import { isEngineError, withoutHint } from "../errors/report.ts";
import { bytes } from "../format/bytes.ts";
import { count, plural } from "../format/number.ts";
import { oneLine } from "../format/text.ts";
import { duration, isoTime } from "../format/time.ts";

export interface Finding {
  readonly name: "node" | "database" | "schema" | "engines" | "questions" | "held" | "orphaned" | "disk";
  readonly ok: boolean;
  readonly text: string;
  /** What to do. */
  readonly hint?: string;
}

/** A question that nobody answered for so long is forgotten. */
const longWaitMs = 7 * 86_400_000;
const freeAtLeast = 200_000_000;

export function nodeFinding(): Finding {
  return { name: "node", ok: true, text: `${process.versions.node}, SQLite ${process.versions.sqlite ?? "unknown"}` };
}

/** A database that cannot be used is a finding; one that is not there is a mistake on the command line. */
export function unreachable(error: unknown): Finding[] {
  if (!isEngineError(error)) throw error;
  const text = oneLine(withoutHint(error.message));
  return [{ name: "database", ok: false, text, ...(error.hint !== undefined && { hint: oneLine(error.hint) }) }];
}

export async function examine(store: Store, now: number): Promise<Finding[]> {
  const { backend, sqlite } = store;
  const stats = await backend.stats();
  const file = sqlite?.settings().file;
  return [
    database(stats, file ?? backend.name),
    schema(store, stats),
    engines(stats),
    await questions(store, now),
    ...held(stats),
    await orphaned(store),
    ...(file === undefined ? [] : [disk(file, stats)]),
  ];
}

function database({ runs, bytes: size }: BackendStats, file: string): Finding {
  const all = Object.values(runs).reduce((sum, n) => sum + n, 0);
  const text = `${file}: ${plural(all, "run")}${size === null ? "" : `, ${bytes(size)}`}`;
  return { name: "database", ok: true, text };
}

function schema({ sqlite }: Store, stats: BackendStats): Finding {
  const { foundVersion: found, schemaVersion } = sqlite?.settings() ?? {
    foundVersion: stats.schemaVersion,
    schemaVersion: stats.schemaVersion,
  };
  const text = found === schemaVersion ? `version ${found}` : `version ${found}, now brought to ${schemaVersion}`;
  return { name: "schema", ok: true, text };
}

/** Those that only look, as this one does, are engines too. */
function engines({ owners, runs }: BackendStats): Finding {
  const others = owners - 1;
  const queued = runs.queued ?? 0;
  const text = `${count(others)} alive`;
  if (others > 0 || queued === 0) return { name: "engines", ok: true, text };
  const hint = "open an engine that has their graphs, or resume them";
  return { name: "engines", ok: false, text: `none alive, and ${plural(queued, "run is", "runs are")} queued`, hint };
}

async function questions({ backend }: Store, now: number): Promise<Finding> {
  const { openQuestions } = await import("@millrace/core");
  const damaged: string[] = [];
  const { questions: found } = await openQuestions(backend, { limit: 1, damaged: (runId) => damaged.push(runId) });
  const [oldest] = found;
  if (damaged.length > 0) {
    const text = `${plural(damaged.length, "run")} cannot be read: ${damaged.slice(0, 3).map(oneLine).join(", ")}`;
    return { name: "questions", ok: false, text, hint: "millrace db fsck tells why" };
  }
  if (oldest === undefined) return { name: "questions", ok: true, text: "none open" };
  const { runId, node, askedAt } = oldest;
  const text = `${oneLine(node)} of run ${oneLine(runId)} waits longest, since ${isoTime(askedAt)} (${duration(now - askedAt)})`;
  const ok = now - askedAt < longWaitMs;
  return {
    name: "questions",
    ok,
    text,
    ...(!ok && { hint: "answer it, or cancel its run; millrace inbox lists all" }),
  };
}

function held({ runs }: BackendStats): Finding[] {
  const quarantined = runs.quarantined ?? 0;
  const review = runs.needs_review ?? 0;
  if (quarantined + review === 0) return [{ name: "held", ok: true, text: "no run is quarantined or needs a review" }];
  const text = [
    ...(quarantined > 0 ? [`${plural(quarantined, "run is", "runs are")} quarantined: engines died over them`] : []),
    ...(review > 0 ? [`${plural(review, "run needs", "runs need")} a review`] : []),
  ].join("; ");
  const hint = "millrace runs --status quarantined,needs_review lists them, millrace resume goes on with one";
  return [{ name: "held", ok: false, text, hint }];
}

async function orphaned({ backend }: Store): Promise<Finding> {
  const { allRuns } = await import("@millrace/core");
  const alive = new Map<string, boolean>();
  const lives = async ({ owner }: RunRow): Promise<boolean> => {
    if (owner === null) return false;
    if (!alive.has(owner)) alive.set(owner, (await backend.living([owner])).length > 0);
    return alive.get(owner) === true;
  };
  let orphans = 0;
  for await (const row of allRuns(backend, { status: ["running"] })) if (!(await lives(row))) orphans += 1;
  if (orphans === 0) return { name: "orphaned", ok: true, text: "every running run has a live engine" };
  const text = `${plural(orphans, "running run has", "running runs have")} no live engine`;
  return { name: "orphaned", ok: false, text, hint: "an engine that has their graphs takes them over; or resume them" };
}

function disk(file: string, { bytes: size }: BackendStats): Finding {
  const { bavail, bsize } = statfsSync(dirname(file));
  const free = bavail * bsize;
  const ok = free >= Math.max(freeAtLeast, (size ?? 0) / 10);
  const hint = "a full disk stops every run: make room, or prune and vacuum";
  return { name: "disk", ok, text: `${bytes(free)} free`, ...(!ok && { hint }) };
}
