import type { Connection } from "./connection.ts";

/** One request that changes the database, as the group commit sees it. */
export interface Write {
  readonly id: number;
  readonly byteLength: number;
  /** Runs inside the group's transaction; the answer is sent once that is durable. Throwing undoes the whole group. */
  apply(connection: Connection): unknown;
  /**
   * Asked after a COMMIT whose outcome is unknown (H16), with the answer `apply` gave: did it happen? Absent where
   * applying again does no harm.
   */
  readonly isDurable?: (connection: Connection, answer: unknown) => boolean;
  /** Once durable: may this answer mean that there is something for an engine to do? Absent: no. */
  readonly hints?: (answer: unknown) => boolean;
}
