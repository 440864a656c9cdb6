import type { Played } from "./database.ts";
import { isCrashLoop } from "./faults.ts";

/** What all databases came to. */
export class Tally {
  kills = 0;
  midWork = 0;
  #databases = 0;
  runs = 0;
  #records = 0;
  #bodies = 0;
  #again = 0;
  /** Runs in which a body was at work at three kills in a row, and was not begun again. */
  loops = 0;

  add({ lives, runs }: Played): void {
    this.#databases += 1;
    this.kills += lives.filter(({ killed }) => killed).length;
    this.midWork += lives.filter(({ midWork }) => midWork).length;
    this.runs += runs.length;
    this.loops += runs.filter(({ journal }) => journal.happenings.some(isCrashLoop)).length;
    this.#records += runs.reduce((sum, { journal }) => sum + journal.happenings.length, 0);
    const begun = lives.flatMap(({ effects }) => effects.filter(({ moment }) => moment === "start"));
    const distinct = new Set(begun.map(({ runId, path, attempt }) => `${runId} ${path} ${attempt}`));
    this.#bodies += distinct.size;
    this.#again += begun.length - distinct.size;
  }

  text(): string {
    return [
      `${this.kills} kills (${this.midWork} in the middle of work)`,
      `${this.#databases} databases`,
      `${this.runs} runs (${this.loops} with a crash loop)`,
      `${this.#records} records`,
      `${this.#bodies} bodies`,
      `${this.#again} begun again because they were in flight`,
    ].join(", ");
  }
}
