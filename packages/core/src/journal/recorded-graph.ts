import { errorOf, type MillraceError } from "../base/error.ts";
import { RecordKind, type GraphNames, type NodeMap, type Started } from "../events/record.ts";
import { migrationFrom } from "../model/migration.ts";
import type { Plan, SlotPlan } from "../model/plan.ts";
import type { Backend } from "../ports/backend.ts";
import { isCompacted } from "./compact/compacted.ts";
import { Lineage, namesOf, type Reading } from "./lineage.ts";
import { RowReader, type RawRecord } from "./rows.ts";

/**
 * Which graph the records that are being read speak of, and what its slots are in the plan at hand. A run that went through
 * one graph is read without further ado; of others all of them must be known before the first record means anything.
 */
export class RecordedGraph {
  readonly #plan: Plan;
  /** Not frozen, since every record reads it. */
  readonly #planSlots: readonly SlotPlan[];
  #names: ReadonlyMap<number, string> = new Map();
  /** Null: the only graph is the plan. */
  #lineage: Lineage | null = null;
  #version = -1;
  /** Null: the recorded graph is the plan. */
  #reading: Reading | null = null;
  fingerprint = "";

  constructor(plan: Plan) {
    this.#plan = plan;
    this.#planSlots = plan.slots.slice();
  }

  /**
   * Before the first record; or later, if what was read until then is the plan after all that the run went through.
   *
   * @throws MillraceError `MigrationMismatch`
   */
  learn(lineage: Lineage): void {
    if (this.#version >= 0) lineage.checkSame(namesOf(this.#plan));
    this.#lineage = lineage;
  }

  get lineage(): Lineage | null {
    return this.#lineage;
  }

  /** The same graphs, read from the beginning. */
  again(): RecordedGraph {
    const graph = new RecordedGraph(this.#plan);
    graph.#lineage = this.#lineage;
    return graph;
  }

  /** From here on, records speak of that graph. */
  become(names: GraphNames): void {
    this.fingerprint = names.fingerprint;
    this.#version++;
    this.#names = new Map(names.nodes);
    this.#reading = this.#lineage?.reading(this.#version, names) ?? null;
  }

  /** The last graph that was read is not the plan. */
  get changed(): boolean {
    return this.fingerprint !== this.#plan.fingerprint;
  }

  /** What is recorded may have been written by another graph than the plan. */
  get isMapped(): boolean {
    return this.#reading !== null;
  }

  nameOf(slot: number): string {
    return this.#names.get(slot) ?? `#${slot}`;
  }

  /** The plan's slot for a recorded one. */
  slot(recorded: number): SlotPlan | undefined {
    const id = this.#reading === null ? recorded : this.#reading.slots.get(recorded);
    return id === undefined ? undefined : this.#planSlots[id];
  }

  /** It is gone on purpose. */
  isRemoved(recorded: number): boolean {
    return this.#reading !== null && this.#reading.removed.has(recorded);
  }

  /** A recorded choice of a block of the plan; -1 is none. Undefined: the arm is gone. */
  choice(slot: number, recorded: number): number | undefined {
    const arms = this.#reading?.arms.get(slot);
    if (arms === undefined || recorded < 0) return recorded;
    const arm = arms[recorded];
    return arm === -1 ? undefined : arm;
  }

  input(recorded: unknown): unknown {
    return this.#lineage === null ? recorded : this.#lineage.input(recorded);
  }

  get knownAs(): ReadonlyMap<number, string> | null {
    return this.#lineage?.knownAs ?? null;
  }
}

/** The graph that a record makes those behind it speak of. */
export function graphIn(record: RawRecord): GraphNames | undefined {
  if (record[0] === RecordKind.started) return record[1] as Started;
  if (isCompacted(record)) return record[1].names;
  if (record[0] !== RecordKind.resumed) return undefined;
  const names = record[3] as GraphNames | 0 | undefined;
  return names === 0 ? undefined : names;
}

/** Reads the journal, up to record `last`, for the graphs that it went through. @throws MillraceError `MigrationMismatch` */
export async function lineageOf(
  source: Pick<Backend, "read">,
  runId: string,
  plan: Plan,
  last: number,
): Promise<Lineage> {
  const reader = new RowReader(runId);
  const versions: GraphNames[] = [];
  for await (const journalRow of source.read(runId)) {
    if (journalRow.firstSeq > last) break;
    for (const record of reader.unpack(journalRow)) {
      const names = graphIn(record);
      if (names !== undefined) versions.push(names);
    }
  }
  return new Lineage(runId, plan, versions, mapFrom(plan, versions.at(-1)?.fingerprint ?? ""));
}

/** What the graph says of that version of it; nothing, if it says nothing. */
export function mapFrom(plan: Plan, fingerprint: string): NodeMap {
  const migration = migrationFrom(plan, fingerprint);
  if (migration === null || migration === "same") return {};
  const { rename, remove, inputs } = migration;
  return {
    ...(Object.keys(rename).length > 0 && { rename }),
    ...(remove.length > 0 && { remove }),
    ...(Object.keys(inputs).length > 0 && { inputs }),
  };
}

export function fingerprintMismatch(runId: string, graph: string, recorded: string, plan: Plan): MillraceError {
  return errorOf("FingerprintMismatch", { runId, graph, recorded, fingerprint: plan.fingerprint });
}
