import { postgres } from "@millrace/postgres";
import { describe, expect, inject, test } from "vitest";

import { appendOf, eventually, newRun, opened, pause, readAll } from "./support/runs.ts";
import { password } from "./support/server.ts";
import { freshSchema, withClient } from "./support/store.ts";

/** Ends the connections of this schema's owners whose last statement matches; how many there were. */
async function terminate(schema: string, lastStatement = ""): Promise<number> {
  return withClient(async (client) => {
    const { rows } = await client.query<{ ended: boolean }>(
      `SELECT pg_terminate_backend(pid) AS ended FROM pg_stat_activity
       WHERE application_name LIKE 'millrace ' || $1 || '%' AND query LIKE '%' || $2 || '%'`,
      [schema, lastStatement],
    );
    return rows.length;
  });
}

describe("connections", () => {
  test("an owner survives the end of every connection it has, again and again, while it works", async () => {
    const schema = freshSchema();
    const backend = await opened("a", { schema, lease: "3s" });
    let hints = 0;
    backend.onHint?.(() => (hints += 1));
    const ids = Array.from({ length: 5 }, (_, i) => `r${i}`);
    await Promise.all(ids.map((id) => backend.create(newRun(id))));
    const state = { isOver: false, ended: 0 };
    const working = ids.map(async (id) => {
      for (let seq = 2; !state.isOver; seq += 1) {
        expect(await backend.append(appendOf(id, seq))).toEqual({ type: "ok" });
        expect(await backend.get(id)).toMatchObject({ lastSeq: seq });
      }
    });
    for (let i = 0; i < 6; i += 1) {
      await pause(150);
      state.ended += await terminate(schema);
    }
    state.isOver = true;
    await Promise.all(working);
    expect(state.ended).toBeGreaterThan(12);
    for (const id of ids) {
      const rows = await readAll(backend, id);
      expect(rows.map(({ seq }) => seq)).toEqual(rows.map((_, i) => i + 1));
      expect(rows.length).toBe((await backend.get(id))?.lastSeq);
    }
    await pause(3_500);
    expect(backend.alive?.()).toBe(true);
    expect(hints).toBeGreaterThan(1);
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
    expect(off.settings()).toMatchObject({ synchronousCommit: "off", schemaVersion: 2 });
  });

  test("no password stands in names, errors, or what they were caused by", async () => {
    const url = new URL(inject("postgresUrl"));
    const wrong = new URL(url);
    wrong.password = `${password}-wrong`;
    const nowhere = new URL(url);
    nowhere.port = "1";
    const noDatabase = new URL(url);
    noDatabase.pathname = "/nothing";
    const failures = await Promise.all(
      [wrong, nowhere, noDatabase].map((address) =>
        postgres(address)
          .open("a")
          .then(String, (error: unknown) => error),
      ),
    );
    const bad = [`mysql://user:${password}@host/db`, `postgres://user:${password}@host:notaport/db`].map((address) => {
      try {
        return postgres(address).name;
      } catch (error) {
        return error;
      }
    });
    for (const failure of [...failures, ...bad]) {
      expect(failure).toMatchObject({ code: "DatabaseUnavailable" });
      const { message, stack, cause } = failure as Error;
      expect(JSON.stringify([message, stack, cause, String(cause), (cause as Error | undefined)?.stack])).not.toContain(
        password,
      );
    }
    expect(postgres(url).name).toBe(`postgres:127.0.0.1:${url.port}/postgres#millrace`);
  });

  test("a server that cannot be reached is told at once by open, and after its patience by calls", async () => {
    const backend = await opened("a", { schema: freshSchema(), patience: 0 });
    await backend.create(newRun("r"));
    const gone = postgres("postgres://127.0.0.1:1/x");
    await expect(gone.open("a")).rejects.toMatchObject({ code: "DatabaseUnavailable" });
    await expect(gone.get("r")).rejects.toMatchObject({ code: "BackendNotOpen" });
  });
});
