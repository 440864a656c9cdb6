import { describe, expect, inject, test } from "vitest";

import { Client } from "pg";

import { appendOf, newRun, opened, readAll } from "./support/runs.ts";
import { freshSchema, lapse, withClient } from "./support/store.ts";

/** The server refuses rows whose bytes are these, with that code, as long as it is told to. */
async function refuse(schema: string, text: string, code: string): Promise<() => Promise<void>> {
  await withClient(async (client) => {
    await client.query(`
      CREATE FUNCTION "${schema}".refuse() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF convert_from(NEW.bytes, 'UTF8') = '${text}' THEN RAISE EXCEPTION 'refused' USING ERRCODE = '${code}'; END IF;
        RETURN NEW;
      END $$;
      CREATE TRIGGER refuse BEFORE INSERT ON "${schema}".journal FOR EACH ROW EXECUTE FUNCTION "${schema}".refuse()`);
  });
  return () => withClient(async (client) => void (await client.query(`DROP FUNCTION "${schema}".refuse() CASCADE`)));
}

describe("trouble", () => {
  test("H14 B5 a row that the server refuses fails alone, in whatever company it was", async () => {
    const schema = freshSchema();
    const backend = await opened("a", { schema });
    const ids = Array.from({ length: 20 }, (_, i) => `r${i}`);
    await Promise.all(ids.map((id) => backend.create(newRun(id))));
    const allow = await refuse(schema, "poison", "22023");
    const poison = { ...appendOf("r7", 2).row, bytes: Buffer.from("poison") };
    const results = await Promise.allSettled(
      ids.flatMap((id) => [
        backend.append(appendOf(id, 2, id === "r7" ? { row: poison } : {})),
        backend.append(appendOf(id, 3, { status: "running" })),
      ]),
    );
    const refused = { status: "rejected", reason: { code: "DatabaseFailed" } };
    const expected = results.map((_, i) => ({ status: "fulfilled", value: { type: i === 15 ? "lost" : "ok" } }));
    expect(results).toMatchObject(expected.with(14, refused as never));
    await allow();
    expect(await backend.append(appendOf("r7", 2))).toEqual({ type: "ok" });
    for (const id of ids) expect(await readAll(backend, id)).toHaveLength(id === "r7" ? 2 : 3);
  });

  test("H18 a full disk is told as such to all who wait, changes nothing, and is over when there is room", async () => {
    const schema = freshSchema();
    const backend = await opened("a", { schema });
    const ids = ["r0", "r1", "r2"];
    await Promise.all(ids.map((id) => backend.create(newRun(id))));
    const free = await refuse(schema, "epoch 1", "53100");
    for (const result of await Promise.allSettled(ids.map((id) => backend.append(appendOf(id, 2))))) {
      expect(result).toMatchObject({ status: "rejected", reason: { code: "DatabaseFull" } });
    }
    await expect(backend.create(newRun("late"))).rejects.toMatchObject({ code: "DatabaseFull" });
    await free();
    for (const id of ids) expect(await backend.append(appendOf(id, 2))).toEqual({ type: "ok" });
    expect(await backend.get("late")).toBeUndefined();
  });

  test("a conflict that never ends is tried some times and then told", async () => {
    const schema = freshSchema();
    const backend = await opened("a", { schema });
    await backend.create(newRun("r"));
    const allow = await refuse(schema, "epoch 1", "40001");
    await expect(backend.append(appendOf("r", 2))).rejects.toMatchObject({ code: "DatabaseLocked" });
    await expect(backend.create(newRun("s"))).rejects.toMatchObject({ code: "DatabaseLocked" });
    await allow();
    expect(await backend.append(appendOf("r", 2))).toEqual({ type: "ok" });
  });

  test("H3 a row that a dead owner's connection holds is freed for the live owner who appends", async () => {
    const schema = freshSchema();
    const backend = await opened("a", { schema });
    await Promise.all(["r", "s"].map((id) => backend.create(newRun(id))));
    const dead = await opened("dead", { schema });
    const [{ n } = { n: 0 }] = await withClient(async (client) => {
      const { rows } = await client.query<{ n: string }>(`SELECT n FROM "${schema}".owners WHERE name = 'dead'`);
      return rows;
    });
    await dead.abandon();
    await lapse(schema, "dead");
    const frozen = new Client({ connectionString: inject("postgresUrl"), application_name: `millrace ${schema} ${n}` });
    frozen.on("error", () => undefined);
    await frozen.connect();
    await frozen.query("BEGIN");
    await frozen.query(`SELECT FROM "${schema}".runs WHERE id = 'r' FOR UPDATE`);
    const results = await Promise.all(["r", "s"].map((id) => backend.append(appendOf(id, 2))));
    expect(results).toEqual([{ type: "ok" }, { type: "ok" }]);
    await expect(frozen.query("COMMIT")).rejects.toThrow(/terminat|connection error/);
  });

  test("a role without rights, and a server that only reads, are told by name", async () => {
    const schema = freshSchema();
    const backend = await opened("a", { schema });
    await backend.create(newRun("r"));
    const role = `reader_${process.pid}`;
    await withClient((client) =>
      client.query(`CREATE ROLE ${role} LOGIN PASSWORD 'x'; GRANT USAGE ON SCHEMA "${schema}" TO ${role}`),
    );
    const url = new URL(inject("postgresUrl"));
    url.username = role;
    url.password = "x";
    await expect(opened("b", { schema }, url.href)).rejects.toMatchObject({ code: "DatabaseReadOnly" });
    const reading = `${inject("postgresUrl")}?options=-c%20default_transaction_read_only%3Don`;
    await expect(opened("c", { schema }, reading)).rejects.toMatchObject({ code: "DatabaseReadOnly" });
  });
});
