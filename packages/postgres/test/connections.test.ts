import { postgres } from "@millrace/postgres";
import { describe, expect, inject, test } from "vitest";

import { connectionTests } from "../../core/test/servers/connections.ts";
import { appendOf, eventually, newRun } from "../../core/test/servers/runs.ts";
import { harness, terminate } from "./support/harness.ts";
import { opened } from "./support/open.ts";
import { password } from "./support/server.ts";
import { freshSchema } from "./support/store.ts";

describe("connections", () => {
  connectionTests(harness, {
    endsPerRound: 3,
    password,
    unreadable: [`mysql://user:${password}@host/db`, `postgres://user:${password}@host:notaport/db`],
  });

  test("a name tells server, database and schema", () => {
    const url = new URL(inject("postgresUrl"));
    expect(postgres(url).name).toBe(`postgres:127.0.0.1:${url.port}/postgres#millrace`);
  });

  test("H77 a hint comes for notes and queued runs, and after the listening connection was lost", async () => {
    const schema = freshSchema();
    const [a, b] = [await opened("a", { schema }), await opened("b", { schema })];
    let hints = 0;
    a.onHint?.(() => (hints += 1));
    const told = async (what: string): Promise<void> => {
      await eventually(what, 5_000, () => (hints > 0 ? true : undefined));
      hints = 0;
    };
    await told("the first connection");
    await a.create(newRun("r"));
    const note = { runId: "r", kind: "answer", key: "q", bytes: Buffer.from("yes"), by: null, at: 1 } as const;
    await b.post({ ...note, wakes: [] });
    await told("a note for its run");
    await a.append(appendOf("r", 2, { status: "queued", release: true }));
    await told("a queued run");
    expect(await terminate(schema, "LISTEN")).toBeGreaterThan(0);
    await told("the connection after the loss");
    await b.post({ ...note, key: "p", wakes: [] });
    await told("a note after the loss");
  });

  test("H23 commits wait for the disk, whatever the server's default is, unless that is switched off", async () => {
    const url = `${inject("postgresUrl")}?options=-c%20synchronous_commit%3Doff`;
    expect((await opened("a", { schema: freshSchema() }, url)).settings()).toMatchObject({ synchronousCommit: "on" });
    const off = await opened("a", { schema: freshSchema(), synchronousCommit: "off" });
    expect(off.settings()).toMatchObject({ synchronousCommit: "off", schemaVersion: 4 });
  });
});
