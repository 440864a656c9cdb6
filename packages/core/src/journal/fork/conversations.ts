/**
 * What of a workflow comes before something different: the calls that its body made before it was told of that. Every
 * call says what the body had been told by then.
 */
import type { Call } from "../../model/conversation.ts";
import { RecordKind, type At } from "../../events/record.ts";
import type { CollectPlan, Plan, SlotPlan, StreamPlan } from "../../model/plan.ts";
import type { NodePlace } from "../../state/path.ts";
import type { Regions } from "./regions.ts";
import type { SourceRecord } from "./source.ts";

/** Calls from that one on, and the end of the body, may be different. */
export interface Cut {
  readonly body: SlotPlan;
  readonly at: At;
  readonly from: number;
}

/** One life of a body. */
interface Talk {
  readonly body: SlotPlan;
  readonly at: At;
  /** By call: what the body was told since the one before. */
  readonly told: (readonly number[])[];
}

export class Talks {
  readonly #plan: Plan;
  readonly #records: readonly SourceRecord[];
  readonly #talks: Map<string, Talk> = new Map();
  /** Bodies that are to go on behind their calls. */
  readonly #again: Set<string> = new Set();

  constructor(plan: Plan, records: readonly SourceRecord[]) {
    this.#plan = plan;
    this.#records = records;
    for (const { record, revive } of records) {
      const [kind, id, at, value] = record as [RecordKind, number, At, unknown];
      const body = kind === RecordKind.frame ? plan.slots[id] : undefined;
      if (body?.op?.converse === undefined) continue;
      const key = talkKey(id, at);
      let talk = this.#talks.get(key);
      if (talk === undefined) this.#talks.set(key, (talk = { body, at, told: [] }));
      talk.told.push((revive(value) as Call).told ?? []);
    }
  }

  /**
   * What is done again in place of it: of a body that made calls, which it need not make again, those that failed and that it made
   * no other call behind.
   */
  again(place: NodePlace): readonly NodePlace[] {
    const key = talkKey(place.slot.id, place.at);
    const talk = this.#talks.get(key);
    if (talk === undefined) return [place];
    this.#again.add(key);
    const over = new Set(talk.told.flat());
    const depth = place.at === 0 ? 0 : place.at.length;
    return this.#records.flatMap(({ record }) => {
      const [kind, id, at] = record as [RecordKind, number, At];
      if (kind !== RecordKind.attemptFailed || record[4] !== null || at === 0 || at.length <= depth) return [];
      const isInside = String(at.slice(0, depth)) === String(place.at === 0 ? [] : place.at);
      return isInside && !over.has(at[depth] as number) && this.#isOf(talk, id)
        ? [{ slot: this.#plan.slots[id] as SlotPlan, at }]
        : [];
    });
  }

  /** The node is in the items of the body, and is no such body itself. */
  #isOf({ body }: Talk, id: number): boolean {
    const { itemScope } = this.#plan.streams[body.stream] as StreamPlan;
    const slot = this.#plan.slots[id] as SlotPlan;
    if (slot.op?.converse !== undefined) return false;
    let scope = this.#plan.scopes[slot.scope];
    while (scope !== undefined && scope.id !== itemScope) scope = this.#plan.scopes[scope.parent];
    return scope !== undefined;
  }

  /** By `talkKey`: of the bodies that are told something different, where that begins. */
  cuts(reached: Regions): ReadonlyMap<string, Cut> {
    const cuts = new Map<string, Cut>();
    for (const [key, talk] of this.#talks) {
      const from = this.#differsFrom(talk, reached);
      if (from !== null) cuts.set(key, { body: talk.body, at: talk.at, from });
    }
    return cuts;
  }

  #differsFrom({ body, at, told }: Talk, reached: Regions): number | null {
    const { collectors } = this.#plan.streams[body.stream] as StreamPlan;
    const { collect } = this.#plan.slots[collectors[0] as number] as SlotPlan;
    const { watch } = collect as CollectPlan;
    const differs = (call: number): boolean => reached.has(watch, [...(at === 0 ? [] : at), call]);
    if (!told.some((_, call) => differs(call))) return this.#again.has(talkKey(body.id, at)) ? told.length : null;
    const from = told.findIndex((calls) => calls.some(differs));
    return from < 0 ? told.length : from;
  }
}

export function talkKey(slot: number, at: At): string {
  return `${slot} ${String(at)}`;
}
