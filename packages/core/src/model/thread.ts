/** The thread of a run, as the run found it. */
export interface RunThread {
  readonly name: string;
  /** By the names of the cells: what earlier runs of the thread left in them. Never changed. */
  readonly carried: Readonly<Record<string, unknown>>;
  /** Of the last whole row, in bytes, and of the changes since; with how many rows that was. */
  readonly stored: { readonly whole: number; readonly changes: number; readonly rows: number };
}
