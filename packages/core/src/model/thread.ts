/** The thread of a run, as the run found it. */
export interface RunThread {
  readonly name: string;
  /** By the names of the cells: what earlier runs of the thread left in them. Never changed. */
  readonly carried: Readonly<Record<string, unknown>>;
  /** Position of its last row; 0: it has none. */
  readonly last: number;
  /** What it was read from: the last whole row, and those since; and their checksum. */
  readonly stored: { readonly bytes: number; readonly rows: number; readonly sum: number };
}
