/**
 * An engine whose disk fails, wherever in its runs: what it was told is written is there, and the next engine brings every run
 * to the end that it has undisturbed, with no body again that was over.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, expect, test } from "vitest";
import { judgePlace, undisturbed, type Undisturbed } from "../../../src/testing/crash/judge.ts";
import { linesIn } from "../../../src/testing/crash/lines.ts";
import { integrityOf } from "../../sigkill/support/integrity.ts";
import subject from "../programs/disk-jobs.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { assertStrace, faults, runInjected, type Fault } from "./injected.ts";

const worker = fileURLToPath(new URL("../../../src/testing/crash/worker.ts", import.meta.url));
const module = new URL("../programs/disk-jobs.ts", import.meta.url).href;
/** Of each fault, spread over the calls that a life makes. */
const moments = 16;
/** After the fault: one whose disk is gone for good goes on trying. */
const limitMs = 10_000;

let due: Undisturbed;
beforeAll(async () => {
  assertStrace();
  due = await undisturbed(subject);
});

interface Left {
  readonly hit: boolean;
  readonly calls: number;
  readonly integrity: string;
  /** Of the engine that came next. */
  readonly next: string;
  readonly faults: readonly string[];
}

async function liveUnder(fault: Fault, when: number, durability: "sync" | "async"): Promise<Left> {
  const folder = temporaryFolder();
  try {
    const said = join(folder.path, "said");
    const life = (number: number): string[] => [
      process.execPath,
      worker,
      module,
      folder.path,
      said,
      String(number),
      durability,
    ];
    const { hit, calls } = await runInjected(life(1), fault, when, limitMs);
    const integrity = integrityOf(join(folder.path, "runs.db"));
    const [command = "", ...args] = life(2);
    const { status, stderr } = spawnSync(command, args, { encoding: "utf8", timeout: 120_000 });
    const store = await subject.connect(folder.path);
    await store.open("judge");
    const judgement = await judgePlace(subject, store, linesIn(said), due, durability);
    await store.close();
    return { hit, calls, integrity, next: `${status} ${stderr}`, faults: judgement.faults };
  } finally {
    folder.remove();
  }
}

test.each(faults)("H16 H18 H19 H20 an engine whose $call meets $how, $lasts", async (fault) => {
  // As far as strace counts.
  const never = 65_535;
  const { calls } = await liveUnder(fault, never, "sync");
  let hits = 0;
  for (let i = 0; i < moments; i++) {
    const when = 1 + Math.floor((i * calls) / moments);
    const { hit, integrity, next, faults: found } = await liveUnder(fault, when, i % 2 === 0 ? "sync" : "async");
    expect({ integrity, next, found }, `number ${when}`).toEqual({ integrity: "ok", next: "0 ", found: [] });
    if (hit) hits++;
  }
  console.log(
    `disk under an engine: ${fault.how} at ${hits} of ${calls} calls of ${fault.call}, ${fault.lasts}: clean`,
  );
  expect(hits).toBeGreaterThan(moments / 2);
});
