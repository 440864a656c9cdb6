import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  collect,
  graph,
  MillraceError,
  op,
  openEngine,
  type Backend,
  type Engine,
  type Ref,
} from "../../../src/index.ts";
import { encrypted, sqlite } from "../../../src/node/index.ts";
import { KeyRing } from "../../../src/node/encrypted/key-ring.ts";
import { appendTo, mustGet, newRun, readAll, started } from "../../../src/testing/backend-contract/fixtures.ts";

/* oxlint-disable vitest/expect-expect -- refused() expects */

const folder = mkdtempSync(join(tmpdir(), "millrace-encrypted-"));
const file = join(folder, "runs.db");
const key = randomBytes(32);
const codes = ["JournalCorrupt", "DecryptionFailed", "EncryptionKeyMissing", "NotEncrypted", "DatabaseCorrupt"];

const numbers = op("numbers", async function* ({ n }: { n: number }) {
  for (let k = 0; k < n; k++) yield { k };
});
const describe = op("describe", async ({ k }: { k: number }) => ({ big: k === 2 ? "x".repeat(70_000) : `item ${k}` }));
const flow = graph("flow", (input: Ref<{ n: number }>) => ({
  all: collect(describe({ k: numbers({ n: input.n }).k })),
}));

let engine: Engine;
let sql: DatabaseSync;
beforeAll(async () => {
  const backend = encrypted(sqlite(file, { synchronous: "off" }), { keys: [key] });
  engine = await openEngine({ backend, graphs: [flow], recover: false });
  for (const id of ["before", "victim", "behind"]) await engine.run(flow, { n: 3 }, { id });
  sql = new DatabaseSync(file);
});
afterAll(async () => {
  sql.close();
  await engine.close();
  rmSync(folder, { recursive: true, force: true });
});

const rowsOf = (id: string): { position: number; bytes: Uint8Array; chain: number }[] =>
  sql
    .prepare(
      "SELECT position, bytes, chain FROM millrace_journal WHERE run = (SELECT n FROM millrace_runs WHERE id = ?) ORDER BY first_seq",
    )
    .all(id) as never;

/** What reading the run says after a change of its tables, which is undone. */
async function after(change: () => void, id = "victim"): Promise<unknown> {
  sql.exec(
    "CREATE TEMP TABLE journal AS SELECT * FROM millrace_journal; CREATE TEMP TABLE blobs AS SELECT * FROM millrace_blobs",
  );
  sql.exec("CREATE TEMP TABLE runs AS SELECT id, chain, last_seq FROM millrace_runs");
  try {
    change();
    return await engine.get(id).catch((error: unknown) => error);
  } finally {
    sql.exec("DELETE FROM millrace_journal; INSERT INTO millrace_journal SELECT * FROM journal; DROP TABLE journal");
    sql.exec(
      "UPDATE millrace_blobs SET bytes = (SELECT bytes FROM blobs WHERE blobs.hash = millrace_blobs.hash); DROP TABLE blobs",
    );
    sql.exec(
      "UPDATE millrace_runs SET (chain, last_seq) = (SELECT chain, last_seq FROM runs WHERE runs.id = millrace_runs.id); DROP TABLE runs",
    );
  }
}

function put(position: number, bytes: Uint8Array, chain?: number): void {
  sql.prepare("UPDATE millrace_journal SET bytes = ? WHERE position = ?").run(bytes, position);
  if (chain !== undefined) sql.prepare("UPDATE millrace_journal SET chain = ? WHERE position = ?").run(chain, position);
}

function refused(outcome: unknown, what: string): void {
  expect(outcome, what).toBeInstanceOf(MillraceError);
  expect(codes, what).toContain((outcome as MillraceError).code);
  expect((outcome as Error).message, what).toContain("victim");
}

test("HAZARDS 10: one bit turned in any part of a row: magic, key id, nonce, what is encrypted, tag", async () => {
  for (const { position, bytes } of rowsOf("victim")) {
    const places = [0, 1, 3, 4, 11, 12, 23, 24, 30, bytes.length - 17, bytes.length - 16, bytes.length - 1];
    for (const at of places) {
      const turned = new Uint8Array(bytes);
      turned[at] = (turned[at] as number) ^ (1 << (at % 8));
      refused(await after(() => put(position, turned)), `bit of byte ${at} of row ${position}`);
    }
  }
  expect(await engine.get("victim")).toMatchObject({ status: "completed" });
});

test("HAZARDS 10: a row cut off anywhere, lengthened, or emptied", async () => {
  const [first] = rowsOf("victim");
  const { position, bytes } = first!;
  for (const length of [0, 1, 4, 12, 24, 39, 40, 41, bytes.length - 1])
    refused(await after(() => put(position, bytes.slice(0, length))), `cut to ${length}`);
  refused(await after(() => put(position, Buffer.concat([bytes, new Uint8Array(1)]))), "lengthened");
});

test("HAZARDS 10: rows swapped between runs at the same place, within a run, and played again at another place", async () => {
  const victim = rowsOf("victim");
  const others = rowsOf("behind");
  for (const [i, { position }] of victim.entries()) {
    const other = others[i] as (typeof others)[number];
    refused(await after(() => put(position, other.bytes, other.chain)), `row ${i} of another run`);
  }
  const [first, second] = victim as [(typeof victim)[number], (typeof victim)[number]];
  refused(await after(() => put(second.position, first.bytes, first.chain)), "the first row again as the second");
  refused(
    await after(() => {
      put(second.position, first.bytes, first.chain);
      put(first.position, second.bytes, second.chain);
    }),
    "two rows swapped",
  );
});

test("HAZARDS 10: a whole journal of another run with the run row's checksum", async () => {
  const outcome = await after(() => {
    sql.exec("UPDATE millrace_journal SET run = -1 WHERE run = (SELECT n FROM millrace_runs WHERE id = 'victim')");
    sql.exec(
      "INSERT INTO millrace_journal (run, first_seq, count, bytes, chain) SELECT (SELECT n FROM millrace_runs WHERE id = 'victim'), first_seq, count, bytes, chain FROM millrace_journal WHERE run = (SELECT n FROM millrace_runs WHERE id = 'behind')",
    );
    sql.exec(
      "UPDATE millrace_runs SET (chain, last_seq) = (SELECT chain, last_seq FROM runs WHERE id = 'behind') WHERE id = 'victim'",
    );
  });
  refused(outcome, "the journal of another run");
});

test("HAZARDS 10: checksums and spans: a changed chain or count of a row, or chain of the run", async () => {
  const [first] = rowsOf("victim");
  const { position } = first!;
  refused(
    await after(() =>
      sql.exec(
        `UPDATE millrace_journal SET chain = CASE chain WHEN 0 THEN 1 ELSE chain - 1 END WHERE position = ${position}`,
      ),
    ),
    "chain",
  );
  refused(
    await after(() => sql.exec(`UPDATE millrace_journal SET count = count + 1 WHERE position = ${position}`)),
    "count",
  );
  refused(
    await after(() =>
      sql.exec("UPDATE millrace_runs SET chain = CASE chain WHEN 0 THEN 1 ELSE chain - 1 END WHERE id = 'victim'"),
    ),
    "chain of the run",
  );
});

test("HAZARDS 10: a blob with a turned bit, or in the place of another", async () => {
  const outcome = await after(() => {
    const { bytes } = sql.prepare("SELECT bytes FROM millrace_blobs").get() as { bytes: Uint8Array };
    bytes[100] = (bytes[100] as number) ^ 4;
    sql.prepare("UPDATE millrace_blobs SET bytes = ?").run(bytes);
  });
  expect(outcome).toMatchObject({ code: "DecryptionFailed" });
  const backend = encrypted(sqlite(join(folder, "blobs.db")), { keys: [key] });
  await backend.open("a");
  await backend.putBlob("one", new Uint8Array([1]));
  await backend.putBlob("two", new Uint8Array([2]));
  const other = new DatabaseSync(join(folder, "blobs.db"));
  other.exec(
    "CREATE TEMP TABLE b AS SELECT * FROM millrace_blobs; UPDATE millrace_blobs SET bytes = (SELECT bytes FROM b WHERE b.hash <> millrace_blobs.hash)",
  );
  for (const hash of ["one", "two"])
    await expect(backend.getBlob(hash)).rejects.toMatchObject({ code: "DecryptionFailed" });
  other.close();
  await backend.close();
});

test("HAZARDS 10: nobody can tell from the name of a blob what is in it, nor whether two databases hold the same", async () => {
  const names = sql.prepare("SELECT hash FROM millrace_blobs").all() as { hash: string }[];
  const inRows = JSON.stringify("x".repeat(70_000));
  const { sha256Hex } = await import("../../../src/base/sha256.ts");
  expect(names.map(({ hash }) => hash)).not.toContain(sha256Hex(inRows));
  expect(new KeyRing([randomBytes(32)]).first.blobName("h")).not.toBe(
    new KeyRing([randomBytes(32)]).first.blobName("h"),
  );
});

test("HAZARDS 10: a note moved to another question, run, author or time, and what a thread carries on in another's place", async () => {
  const path = join(folder, "notes.db");
  const open = async (owner: string): Promise<Backend> => {
    const backend = encrypted(sqlite(path), { keys: [key] });
    await backend.open(owner);
    return backend;
  };
  const backend = await open("a");
  for (const [i, thread] of ["t", "t", "u"].entries()) {
    const run = await started(backend, `r${i}`, { thread });
    const carry = { whole: true, bytes: new TextEncoder().encode(`of r${i}`) };
    await backend.append(appendTo(run, { status: "completed", release: true, carry }));
  }
  await started(backend, "n1");
  await started(backend, "n2");
  const note = {
    runId: "n1",
    kind: "answer",
    key: "q",
    bytes: new Uint8Array([1]),
    by: "ann",
    at: 5,
    wakes: [],
  } as const;
  await backend.post(note);
  await backend.post({ ...note, runId: "n2", bytes: new Uint8Array([2]) });
  const other = new DatabaseSync(path);
  const change = async (statement: string, read: () => Promise<unknown>): Promise<void> => {
    other.exec(`BEGIN; ${statement}; COMMIT`);
    await expect(read(), statement).rejects.toMatchObject({ code: "DecryptionFailed" });
  };
  await change(`UPDATE millrace_notes SET said_by = 'bob'`, () => backend.inbox("n1"));
  other.exec(`UPDATE millrace_notes SET said_by = 'ann'`);
  expect((await backend.inbox("n1"))[0]?.bytes).toEqual(new Uint8Array([1]));
  await change(`UPDATE millrace_notes SET at = at + 1`, () => backend.inbox("n2"));
  other.exec(`UPDATE millrace_notes SET at = at - 1`);
  await change(
    `CREATE TEMP TABLE n AS SELECT rowid AS id, bytes FROM millrace_notes; UPDATE millrace_notes SET bytes = (SELECT bytes FROM n WHERE n.id <> millrace_notes.rowid LIMIT 1)`,
    () => backend.inbox("n1"),
  );
  expect((await backend.carried("t", 1)).length).toBe(1);
  await change(
    `CREATE TEMP TABLE c AS SELECT rowid AS id, bytes FROM millrace_carried; UPDATE millrace_carried SET bytes = (SELECT bytes FROM c WHERE c.id <> millrace_carried.rowid ORDER BY c.id LIMIT 1)`,
    () => backend.carried("t"),
  );
  other.close();
  await backend.close();
});

test("HAZARDS 10: rotation: old rows are read and new ones written, until the old key is left out", async () => {
  const path = join(folder, "rotation.db");
  const [old, young, stranger] = [randomBytes(32), randomBytes(32), randomBytes(32)];
  const at = async (keys: Uint8Array[], owner: string): Promise<Backend> => {
    const backend = encrypted(sqlite(path), { keys });
    await backend.open(owner);
    return backend;
  };
  const before = await at([old], "a");
  const run = await started(before, "r");
  await before.append(appendTo(run));
  await before.putBlob("h", new Uint8Array([7]));
  const chain = (await mustGet(before, "r")).chain;
  await before.close();

  const rotated = await at([young, old], "b");
  expect((await mustGet(rotated, "r")).chain).toBe(chain);
  expect((await rotated.list())[0]?.chain).toBe(chain);
  const [claimed] = await rotated.claim({ statuses: ["running"], limit: 1, at: 1 });
  expect(claimed?.chain).toBe(chain);
  await rotated.append(appendTo(claimed!));
  expect((await readAll(rotated, "r")).length).toBe(3);
  expect(await rotated.getBlob("h")).toEqual(new Uint8Array([7]));
  await rotated.close();

  const without = await at([young], "c");
  await expect(readAll(without, "r")).rejects.toMatchObject({ code: "EncryptionKeyMissing" });
  await without.close();
  const wrong = encrypted(sqlite(path), { keys: [stranger] });
  await expect(wrong.open("d")).rejects.toMatchObject({ code: "EncryptionKeyMissing" });
  await expect(openEngine({ backend: encrypted(sqlite(path), { keys: [stranger] }) })).rejects.toMatchObject({
    code: "EncryptionKeyMissing",
  });
});

test("HAZARDS 10: without keys an encrypted database is not read, and says so", async () => {
  const plain = await openEngine({ backend: sqlite(file), recover: false });
  await expect(plain.get("victim")).rejects.toMatchObject({
    code: "EncryptionKeyMissing",
    message: expect.stringContaining("encrypted(backend, { keys"),
  });
  await plain.close();
});

test("HAZARDS 10: plain and encrypted records are not mixed, but for a time of migration", async () => {
  const path = join(folder, "migration.db");
  const plain = sqlite(path);
  await plain.open("a");
  const run = await started(plain, "r");
  await plain.putBlob("h", new Uint8Array([3]));
  await plain.post({ runId: "r", kind: "drain", key: "", bytes: new Uint8Array(0), by: null, at: 1, wakes: [] });
  await plain.close();
  await expect(encrypted(sqlite(path), { keys: [key] }).open("b")).rejects.toMatchObject({ code: "NotEncrypted" });

  const migrating = encrypted(sqlite(path), { keys: [key], allowPlain: true });
  await migrating.open("c");
  const [claimed] = await migrating.claim({ statuses: ["running"], limit: 1, at: 1 });
  expect(claimed?.chain).toBe(run.chain);
  await migrating.append(appendTo(claimed!));
  expect((await mustGet(migrating, "r")).chain).toBe((await readAll(migrating, "r"))[1]?.chain);
  expect(await migrating.getBlob("h")).toEqual(new Uint8Array([3]));
  expect(await migrating.inbox("r")).toHaveLength(1);
  await migrating.create(newRun("new", { createdAt: 9_000 }));
  await migrating.close();

  const strict = encrypted(sqlite(path), { keys: [key] });
  await strict.open("d");
  expect(await readAll(strict, "new")).toHaveLength(1);
  await expect(readAll(strict, "r")).rejects.toMatchObject({ code: "NotEncrypted" });
  await expect(strict.inbox("r")).rejects.toMatchObject({ code: "NotEncrypted" });
  expect(await strict.getBlob("h")).toBeUndefined();
  expect((await strict.list()).map(({ id }) => id)).toEqual(["new", "r"]);
  await strict.close();
});

test("HAZARDS 10: a key writes 2^32 records per process and no more", () => {
  const ring = new KeyRing([key], 3);
  for (let i = 0; i < 3; i++) ring.forWriting();
  expect(() => ring.forWriting()).toThrow(expect.objectContaining({ code: "EncryptionKeyExhausted" }));
});

test.each<[string, unknown]>([
  ["no list", "key"],
  ["an empty list", []],
  ["31 bytes", [randomBytes(31)]],
  ["text that is no base64", ["not a key at all!"]],
  ["base64 of 16 bytes", [randomBytes(16).toString("base64")]],
  ["something else", [{ key: 1 }]],
  ["one key twice", [key, Buffer.from(key).toString("base64")]],
])("keys that are none are refused without saying what they are: %s", (_what, keys) => {
  const error = (() => {
    try {
      return encrypted(sqlite(file), { keys: keys as never });
    } catch (thrown) {
      return thrown;
    }
  })();
  expect(error).toMatchObject({ code: "InvalidOption" });
  expect((error as Error).message).not.toContain("not a key at all");
});

test("an option that does not exist is refused", () => {
  expect(() => encrypted(sqlite(file), { keys: [key], allowPlan: true } as never)).toThrow(/allowPlan/);
});
