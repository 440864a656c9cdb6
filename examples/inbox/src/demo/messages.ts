import type { Durability } from "./options.ts";

/** There is one run in the database. */
export const runId = "demo";

/** What a worker process is told when it starts: one JSON argument. */
export interface WorkerSetup {
  readonly outDir: string;
  readonly every: number;
  readonly bodyLog: string;
  /** Without a database the run is not durable: the uninterrupted one that the report is compared with. */
  readonly database?: { readonly file: string; readonly durability: Durability };
}

/** Over the channel between the processes. */
export type ToWorker = { readonly type: "drain" };

export type FromWorker =
  | ({ readonly type: "progress"; readonly described: number } & Spent)
  | ({ readonly type: "ended"; readonly status: string; readonly reason: string } & Spent);

export interface Spent {
  /** Since the engine was opened, the replay of a resumed run included. */
  readonly seconds: number;
  /** Of all threads of the process, its start included. */
  readonly cpuSeconds: number;
}
