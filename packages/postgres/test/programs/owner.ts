/** An owner in a process of its own. */
import { postgres } from "@millrace/postgres";
import { Connection } from "pg";

import { playOwner } from "../../../core/test/servers/owner-program.ts";

/** The server has executed the next statement, and is not told to commit. */
function freezeBeforeSync(): void {
  const { prototype } = Connection as unknown as {
    prototype: { sync(): void; stream: { uncork(): void; cork(): void } };
  };
  const sync = Reflect.get<typeof prototype, "sync">(prototype, "sync");
  let isFrozen = false;
  prototype.sync = function (this: typeof prototype) {
    if (!isFrozen) {
      isFrozen = true;
      this.stream.uncork();
      process.kill(process.pid, "SIGSTOP");
      this.stream.cork();
    }
    sync.call(this);
  };
}

await playOwner({
  backend: ({ url, place, lease }) => postgres(url, { schema: place, lease }),
  freeze: freezeBeforeSync,
});
