/** `npm run demo`: the mailbox triaged by a process that is killed half-way, and by the next one that resumes. */
import { existsSync } from "node:fs";
import { help, readOptions, UsageError, type DemoOptions } from "./demo/options.ts";
import { folderAt } from "./demo/folder.ts";
import { runId } from "./demo/messages.ts";
import { perform } from "./demo/perform.ts";
import { printResults } from "./demo/results.ts";
import { Stop } from "./demo/stop.ts";
import { storyOn } from "./demo/story.ts";
import { summaryOf } from "./demo/summary.ts";
import { pageOn, shortest } from "./demo/text.ts";

const cwd = process.env["INIT_CWD"] ?? process.cwd();
// A reader that went away (`| head`) is no reason to stop.
process.stdout.on("error", () => {});
process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  try {
    const options = readOptions(args, process.env);
    if (options === "help") {
      process.stdout.write(help);
      return 0;
    }
    return await demo(options);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`${error.message}\nSee: npm run demo -- --help\n`);
    return 2;
  }
}

async function demo(options: DemoOptions): Promise<number> {
  const page = pageOn(options.json ? process.stderr : process.stdout);
  const stop = new Stop(() => {
    tellHowToResume(options);
    process.exit(130);
  });
  const outcome = await perform(options, stop, storyOn(page, options));
  if (outcome === undefined) {
    tellHowToResume(options);
    return 6;
  }
  printResults(page, outcome, cwd);
  if (options.json) process.stdout.write(`${JSON.stringify(summaryOf(options, outcome), null, 2)}\n`);
  return outcome.checks.every(({ held }) => held) ? 0 : 1;
}

/** Ctrl-C loses nothing: the run is in the database, and the command line of Millrace goes on with it. */
function tellHowToResume({ dir, durability }: DemoOptions): void {
  const { database } = folderAt(dir);
  const show = process.stderr.isTTY ? "\u001B[?25h" : "";
  if (!existsSync(database)) {
    process.stderr.write(`${show}\nStopped before there was a run.\n`);
    return;
  }
  const near = (path: string): string => JSON.stringify(shortest(cwd, path));
  const graph = near(`${import.meta.dirname}/graph.ts`).replace(/"$/, '#inbox"');
  process.stderr.write(
    `${show}\nStopped. What had finished is kept; go on with it:\n` +
      `  npx millrace resume ${runId} --graph ${graph} --db ${near(database)} --durability ${durability}\n`,
  );
}
