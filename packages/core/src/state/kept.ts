/**
 * What a fork kept of the run it comes from and has not come to yet: an invocation that has answers here takes them, and
 * its body does not run.
 *
 * V1  The answers of one invocation are taken in the order they were recorded in.
 * V2  Each is taken once, and what takes it writes it as a record of the fork's own.
 */
import type { At, RecordKind } from "../events/record.ts";
import { addressOf } from "./path.ts";
import type { Pending } from "./pending.ts";

export interface KeptAnswer {
  /** Its place among all that was kept. */
  readonly seq: number;
  readonly kind: RecordKind;
  readonly slot: number;
  readonly at: At;
  /** What stands in its record behind kind, slot and context, encoded. */
  readonly rest: readonly unknown[];
  /** It comes from the fork's patch. */
  readonly given?: true;
  /** Gives the value for what stands in `rest`. */
  readonly revive: (stored: unknown) => unknown;
}

/** Taken from the front without moving the others: a stream may have kept a million items. */
interface Line {
  readonly answers: KeptAnswer[];
  next: number;
}

export class Kept {
  readonly #lines: Map<string, Line> = new Map();
  readonly #choices: Map<string, { readonly slot: number; readonly at: At; readonly choice: number }> = new Map();

  /** V1: in the order of their records. */
  add(answer: KeptAnswer): void {
    const key = keyOf(answer.slot, answer.at);
    const line = this.#lines.get(key);
    if (line === undefined) this.#lines.set(key, { answers: [answer], next: 0 });
    else line.answers.push(answer);
  }

  addChoice(slot: number, at: At, choice: number): void {
    this.#choices.set(keyOf(slot, at), { slot, at, choice });
  }

  peek({ id, context }: Pending): KeptAnswer | undefined {
    return first(this.#lines.get(keyOf(id, addressOf(context))));
  }

  /** V2. `kind`: of the record that takes it; one of another kind takes nothing. */
  take(kind: RecordKind, slot: number, at: At): void {
    const key = keyOf(slot, at);
    const line = this.#lines.get(key);
    if (line === undefined || first(line)?.kind !== kind) return;
    line.next++;
    if (line.next === line.answers.length) this.#lines.delete(key);
  }

  takeChoice(slot: number, at: At): number | undefined {
    const key = keyOf(slot, at);
    const choice = this.#choices.get(key)?.choice;
    if (choice !== undefined) this.#choices.delete(key);
    return choice;
  }

  get empty(): boolean {
    return this.#lines.size === 0 && this.#choices.size === 0;
  }

  /** What nobody took, in the order of the records. */
  get answers(): KeptAnswer[] {
    const left = [...this.#lines.values()].flatMap(({ answers, next }) => answers.slice(next));
    return left.toSorted((a, b) => a.seq - b.seq);
  }

  get choices(): Iterable<{ readonly slot: number; readonly at: At; readonly choice: number }> {
    return this.#choices.values();
  }
}

function first(line: Line | undefined): KeptAnswer | undefined {
  return line?.answers[line.next];
}

/** A slot lives at one depth: 0 and [0] are never addresses of the same one. */
function keyOf(slot: number, at: At): string {
  return `${slot} ${String(at)}`;
}
