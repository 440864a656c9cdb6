/** An owner in a process of its own. */
import { mysql } from "@millrace/mysql";
import * as client from "mysql2/promise";

import { playOwner } from "../../../core/test/servers/owner-program.ts";

interface Connection {
  query(...args: unknown[]): unknown;
}

/** The server has done all of the next transaction, and is not told to commit. `mysql2` exports the class and does not declare it. */
function freezeBeforeCommit(): void {
  const { prototype } = Reflect.get(client, "PoolConnection") as { readonly prototype: Connection };
  const query = Reflect.get(prototype, "query");
  let isFrozen = false;
  prototype.query = function (this: Connection, ...args: unknown[]) {
    if (!isFrozen && args[0] === "COMMIT") {
      isFrozen = true;
      process.kill(process.pid, "SIGSTOP");
    }
    return query.apply(this, args);
  };
}

await playOwner({
  backend: ({ url, place, lease }) => mysql(url, { prefix: place, lease }),
  freeze: freezeBeforeCommit,
});
