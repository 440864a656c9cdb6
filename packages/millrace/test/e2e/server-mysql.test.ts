import { spawnSync } from "node:child_process";
import { describe } from "vitest";

import { serverTests } from "./server-commands.ts";

describe.skipIf(spawnSync("mariadbd", ["--version"]).status !== 0)("where there is a mariadbd", () => {
  serverTests({ kind: "mysql", scope: "?prefix=cli_" });
});
