import type { Quality } from "../confusion.ts";
import type { Report } from "../report.ts";
import { countByNode, without } from "./bodies.ts";
import type { Outcome } from "./perform.ts";
import { count, megabytes, percent, perNode, seconds, shortest, sum, type Page } from "./text.ts";
import { timesOf } from "./times.ts";

/** The page at the end: what came out, whether it is right, what it took, where it is. */
export function printResults(page: Page, outcome: Outcome, cwd: string): void {
  if (outcome.report !== undefined) printReport(page, outcome.report);
  printCrash(page, outcome);
  printChecks(page, outcome);
  printTimes(page, outcome);
  printFiles(page, outcome, cwd);
  const differed = outcome.checks.filter(({ held }) => !held).length;
  page.line();
  page.line(
    differed === 0
      ? page.style("green", "Everything held.")
      : page.style("red", `${differed} of ${outcome.checks.length} checks did not hold.`),
  );
}

function printFiles(page: Page, outcome: Outcome, cwd: string): void {
  heading(page, "Files");
  for (const name of ["report.html", "report.json", "inbox.db"])
    page.line(`  ${shortest(cwd, `${outcome.folder.dir}/${name}`)}`);
}

function printReport(page: Page, { totals, quality, failures }: Report): void {
  const { line, style } = page;
  heading(page, "Result");
  line(`  ${count(totals.messages)} messages: ${count(totals.triaged)} triaged, ${count(totals.failed)} could not be`);
  line(`  ${count(totals.senders)} senders, ${count(totals.threads)} threads`);
  line(`  learned from ${count(totals.trainedOn)}, tested on the other ${count(totals.testedOn)}:`);
  line();
  for (const row of confusion(quality)) line(`  ${row}`);
  line();
  line(
    `  accuracy ${percent(quality.accuracy)}, precision ${percent(quality.precision)}, recall ${percent(quality.recall)}`,
  );
  if (failures.messages.length === 0) return;
  line();
  line("  Messages that could not be triaged, as items of their own, without stopping the run:");
  for (const { reason, messages } of failures.reasons) {
    const ids = failures.messages.filter((failure) => failure.reason === reason).map(({ id }) => shortId(id));
    const more = ids.length > 3 ? ", …" : "";
    line(`  ${String(messages).padStart(4)}  ${reason.padEnd(9)} ${style("dim", ids.slice(0, 3).join(", ") + more)}`);
  }
}

/** The hash in a file's name says nothing to people: `easy-ham-1/00123`. */
function shortId(id: string): string {
  return id.replace(/\..*$/, "");
}

function confusion({ confusion: { hamAsHam, hamAsSpam, spamAsHam, spamAsSpam } }: Quality): string[] {
  const row = (name: string, ham: string, spam: string): string =>
    `${name.padEnd(8)}${ham.padStart(15)}${spam.padStart(17)}`;
  return [
    row("", "taken for ham", "taken for spam"),
    row("is ham", count(hamAsHam), count(hamAsSpam)),
    row("is spam", count(spamAsHam), count(spamAsSpam)),
  ];
}

function printCrash(page: Page, { crash }: Outcome): void {
  if (crash === undefined) return;
  const { inFlight, atWork, ranAgain } = crash.crash;
  const row = (value: number, text: string, nodes: Readonly<Record<string, number>>): void =>
    page.line(`  ${count(value).padStart(6)}  ${text.padEnd(34)}${page.style("dim", perNode(nodes))}`);
  heading(page, "Crash");
  row(sum(crash.journal.finished), "ops had finished before the kill", crash.journal.finished);
  row(atWork.size, "bodies were at work", countByNode(atWork));
  row(inFlight.size - atWork.size, "results were not on disk yet", countByNode(without(inFlight, atWork)));
  row(ranAgain.size, "ran again", countByNode(ranAgain));
}

function printChecks(page: Page, { checks }: Outcome): void {
  const { line, style } = page;
  heading(page, "Checks");
  for (const { held, claim, otherwise } of checks) {
    line(held ? `  ${style("green", "✓")} ${claim}` : `  ${style("red", "✗")} ${otherwise}`);
  }
}

function printTimes(page: Page, outcome: Outcome): void {
  const { line, style } = page;
  const times = timesOf(outcome);
  heading(page, "Time");
  const [run, ...parts] = times.parts;
  line(
    `  ${style("bold", `${count(Math.round(times.messagesPerSecond))} messages/s`)}, the durable run in ${seconds(times.seconds)}`,
  );
  if (run !== undefined && parts.length > 0) {
    line(
      `  ${seconds(run.seconds)} until the kill, ${parts.map((part) => seconds(part.seconds)).join(", ")} after it, the replay of the journal included`,
    );
  }
  if (times.uninterrupted !== undefined)
    line(`  ${seconds(times.uninterrupted)} the uninterrupted run beside it, which writes nothing`);
  line(
    `  ${seconds(times.total)} in all, ${seconds(times.cpuSeconds)} of CPU; database ${megabytes(outcome.databaseBytes)}`,
  );
}

function heading({ line, style }: Page, text: string): void {
  line();
  line(style("bold", text));
}
