import type { DemoOptions } from "./options.ts";
import type { Journal } from "./journal.ts";
import { count, perNode, sum, type Page } from "./text.ts";
import type { WorkerEnd } from "./worker-process.ts";

/** What is said while it happens; the workers draw their progress between these lines. */
export interface Story {
  begins(pid: number, messages: number, crash: boolean): void;
  killed(worker: WorkerEnd, journal: Journal): void;
  resumes(pid: number): void;
}

export function storyOn(page: Page, { durability }: DemoOptions): Story {
  const { line, style } = page;
  return {
    begins(pid, messages, crash) {
      line(style("bold", `Inbox triage: ${count(messages)} messages of the public SpamAssassin corpus`));
      line();
      line(`Worker ${pid} runs the graph. What its ops return goes to a SQLite database, durability ${durability}.`);
      if (crash)
        line(style("dim", "Beside it runs the same graph undisturbed and without a database, to compare the reports."));
      line();
    },
    killed({ pid, signal, described }, journal) {
      // The bars had hidden the cursor, and the process that would show it again is dead.
      if (process.stderr.isTTY) process.stderr.write("\u001B[?25h");
      line();
      line(
        `${style("red", signal ?? "No signal")} ended worker ${pid} after ${count(described)} messages, in the middle of its work.`,
      );
      line(
        `Its journal holds ${style("bold", `${count(sum(journal.finished))} finished ops`)}: ${perNode(journal.finished)}.`,
      );
      line();
    },
    resumes(pid) {
      line(`Worker ${pid} opens the same database, finds the run without an owner and takes it over.`);
      line();
    },
  };
}
