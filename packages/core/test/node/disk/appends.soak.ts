/**
 * Every single fsync and write of a run on SQLite, one after the other until there is none left: the process dies at it, it fails,
 * or it and all that follow fail. What was acknowledged stays, what stands is whole, and who opens the file next goes on.
 */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, expect, test } from "vitest";
import { sqlite } from "../../../src/node/index.ts";
import { appendTo, holes, readAll } from "../../../src/testing/backend-contract/fixtures.ts";
import { integrityOf } from "../../sigkill/support/integrity.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { assertStrace, faults, runInjected, type Fault } from "./injected.ts";

const appends = 8;
const program = fileURLToPath(new URL("../programs/append-some.ts", import.meta.url));

beforeAll(assertStrace);

function acknowledged(stdout: string): number {
  return Math.max(0, ...[...stdout.matchAll(/^ok (\d+)$/gm)].map(([, seq]) => Number(seq)));
}

interface Left {
  /** The fault was met. */
  readonly hit: boolean;
  /** Nothing that somebody was told is missing, and no more than one append is there that nobody heard of. */
  readonly unacknowledged: number;
  readonly holes: readonly string[];
  readonly integrity: string;
  /** What the next one can do: take the run up, and append to it. */
  readonly goesOn: boolean;
}

async function appendUnder(fault: Fault, when: number): Promise<Left> {
  const folder = temporaryFolder();
  const file = join(folder.path, "runs.db");
  try {
    // The file is made in peace, so that the fault meets the run.
    const maker = sqlite(file);
    await maker.open("maker");
    await maker.close();
    const { stdout, hit } = await runInjected([process.execPath, program, file, String(appends)], fault, when);
    const integrity = integrityOf(file);
    const next = sqlite(file);
    await next.open("next");
    const row = await next.get("r");
    const [taken] = await next.claim({ statuses: ["running"], limit: 1, at: 1 });
    const lastSeq = row?.lastSeq ?? 0;
    const found = holes(await readAll(next, "r"), lastSeq);
    const goesOn = row === undefined || (taken !== undefined && (await next.append(appendTo(taken))).type === "ok");
    await next.close();
    return { hit, unacknowledged: lastSeq - acknowledged(stdout), holes: found, integrity, goesOn };
  } finally {
    folder.remove();
  }
}

test.each(faults)("H18 H19 H20 at every $call of a run: $how, $lasts", async (fault) => {
  let when = 1;
  for (; ; when++) {
    const { hit, unacknowledged, ...left } = await appendUnder(fault, when);
    expect(left, `number ${when}`).toEqual({ holes: [], integrity: "ok", goesOn: true });
    expect([0, 1, 2], `number ${when}`).toContain(unacknowledged);
    if (!hit) break;
  }
  console.log(`disk: ${fault.how} at ${fault.call} number 1 to ${when - 1}, ${fault.lasts}: clean each time`);
  expect(when).toBeGreaterThan(appends);
});
