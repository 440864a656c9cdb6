import { join } from "node:path";
import type { CrashEvidence } from "./checks.ts";
import { countByNode, type Invocations } from "./bodies.ts";
import type { DemoOptions } from "./options.ts";
import type { Outcome } from "./perform.ts";
import { sum } from "./text.ts";
import { timesOf } from "./times.ts";

/** What `--json` prints. */
export function summaryOf({ durability, every, dir }: DemoOptions, outcome: Outcome): object {
  const { crash, report, checks } = outcome;
  return {
    ok: checks.every(({ held }) => held),
    differed: checks.filter(({ held }) => !held).map(({ otherwise }) => otherwise),
    durability,
    every,
    totals: report?.totals ?? null,
    quality: report?.quality ?? null,
    failures: report?.failures.reasons ?? null,
    crash: crash === undefined ? null : crashSummary(crash),
    times: timesOf(outcome),
    databaseBytes: outcome.databaseBytes,
    files: { json: join(dir, "report.json"), html: join(dir, "report.html"), database: outcome.folder.database },
  };
}

function crashSummary({ journal, crash }: CrashEvidence): object {
  const counted = (invocations: Invocations): object => ({ total: invocations.size, ...countByNode(invocations) });
  return {
    finishedBefore: { total: sum(journal.finished), ...journal.finished },
    inFlight: counted(crash.inFlight),
    bodiesAtWork: counted(crash.atWork),
    ranAgain: counted(crash.ranAgain),
    finishedAndAgain: counted(crash.finishedAndAgain),
  };
}
