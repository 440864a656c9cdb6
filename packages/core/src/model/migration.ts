/**
 * How runs that were started on an earlier version of a graph go on with this one. With `from` alone all that has a record
 * must have kept its name.
 */
export interface Migration {
  /** The fingerprint of that version, `sha256:` and 64 hex digits: `engine.get(id)` and `FingerprintMismatch` name it. */
  readonly from: string;
  /**
   * Scoped names, new ones by old ones: `{ approve: "review/approve" }`. The name of a block, an arm or a subgraph's call
   * stands for all that is in it, and the longest one that fits counts. All are renamed at once, so that two may change places.
   */
  readonly rename?: Readonly<Record<string, string>>;
  /** Scoped names of nodes that are gone on purpose, with all that is in them: what they did is not looked at any more. */
  readonly remove?: readonly string[];
  /** Keys of the graph's input, new ones by old ones: `{ topic: "subject" }`. */
  readonly inputs?: Readonly<Record<string, string>>;
}

/** Checked, and whole. */
export type MigrationPlan = Required<Migration>;

/** Whether runs of that fingerprint go on with the plan, and how; null: not at all. */
export function migrationFrom(
  plan: { readonly fingerprint: string; readonly migrations: readonly MigrationPlan[] },
  fingerprint: string,
): MigrationPlan | "same" | null {
  if (plan.fingerprint === fingerprint) return "same";
  return plan.migrations.find(({ from }) => from === fingerprint) ?? null;
}
