import { join } from "node:path";

import { startServerProcess as start } from "../../../core/test/servers/server-process.ts";

export function startServerProcess(flags: readonly string[] = []): ReturnType<typeof start> {
  return start(join(import.meta.dirname, "../programs/serve.ts"), flags);
}
