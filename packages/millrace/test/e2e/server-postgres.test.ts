import { serverTests } from "./server-commands.ts";

serverTests({ kind: "postgres", scope: "?schema=cli" });
