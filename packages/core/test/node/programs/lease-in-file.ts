/** A lease module whose store is a file: it says until when the lease lasts, and can be told to refuse, hang or fail. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";

import type { LeaseConnect } from "../../../src/node/index.ts";

export interface LeaseFiles {
  /** Milliseconds since 1970 at which the lease ends, one line per renewal. */
  readonly log: string;
  /** If it is there: `refuse`, `hang`, `fail`. */
  readonly orders: string;
}

export const connect: LeaseConnect<LeaseFiles> = ({ log, orders }) => ({
  renew: (_owner, ttlMs) => {
    const order = existsSync(orders) ? readFileSync(orders, "utf8") : "";
    if (order === "fail") return Promise.reject(new Error("the store is away"));
    if (order === "hang") return new Promise(() => undefined);
    if (order === "refuse") return Promise.resolve(false);
    writeFileSync(log, `${Date.now() + ttlMs}\n`, { flag: "a" });
    return Promise.resolve(true);
  },
  close: async () => writeFileSync(log, "closed\n", { flag: "a" }),
});
