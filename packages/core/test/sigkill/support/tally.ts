import type { Played } from "./database.ts";

/** What all databases came to. */
export class Tally {
  kills = 0;
  midWork = 0;
  #databases = 0;
  #runs = 0;
  #records = 0;
  #bodies = 0;
  #again = 0;

  add({ lives, runs }: Played): void {
    this.#databases += 1;
    this.kills += lives.filter(({ killed }) => killed).length;
    this.midWork += lives.filter(({ midWork }) => midWork).length;
    this.#runs += runs.length;
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
      `${this.#runs} runs`,
      `${this.#records} records`,
      `${this.#bodies} bodies`,
      `${this.#again} begun again because they were in flight`,
    ].join(", ");
  }
}
