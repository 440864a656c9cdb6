import { afterAll } from "vitest";
import { join } from "node:path";
import { sqlite } from "../../src/node/index.ts";
import { temporaryFolder } from "../node/temporary-folder.ts";
import { workflowTests } from "./on-backend.ts";

const folder = temporaryFolder();
afterAll(() => folder.remove());

workflowTests("on SQLite", () => sqlite(join(folder.path, "runs.db")));
