import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { memory } from "../../src/index.ts";
import { sqlite } from "../../src/node/index.ts";
import { conformanceTests } from "./conformance/suite.ts";

const folder = mkdtempSync(join(tmpdir(), "millrace-conformance-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

conformanceTests("on memory", () => memory());
conformanceTests("on SQLite", ({ name }) => sqlite(join(folder, `${name}.db`), { synchronous: "off" }));
