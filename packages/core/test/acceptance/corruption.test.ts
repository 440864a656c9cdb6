import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, expect, test } from "vitest";
import { collect, graph, MillraceError, op, openEngine, type Engine, type Ref } from "../../src/index.ts";
import { sqlite } from "../../src/node/index.ts";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dice } from "./support/dice.ts";

const numbers = op("numbers", async function* ({ n }: { n: number }) {
  for (let k = 0; k < n; k++) yield { k };
});
const describe = op("describe", async ({ k }: { k: number }) => ({
  text: `item ${k}`,
  at: new Date(k),
  big: k === 2 ? "x".repeat(70_000) : "",
}));
const flow = graph("flow", (input: Ref<{ n: number }>) => ({
  all: collect(describe({ k: numbers({ n: input.n }).k })),
}));

const folder = mkdtempSync(join(tmpdir(), "millrace-corruption-"));
const file = join(folder, "runs.db");
let engine: Engine;
let sql: DatabaseSync;

/** Three finished runs in a real file, an engine that reads them, and a connection of our own to do damage through. */
beforeAll(async () => {
  engine = await openEngine({ backend: sqlite(file, { synchronous: "off" }), graphs: [flow], recover: false });
  for (const id of ["before", "victim", "behind"]) await engine.run(flow, { n: 3 }, { id });
  sql = new DatabaseSync(file);
});
afterAll(async () => {
  sql.close();
  await engine.close();
  rmSync(folder, { recursive: true, force: true });
});

type Cell = { readonly table: string; readonly column: string; readonly where: string };

function valueOf({ table, column, where }: Cell): unknown {
  const statement = sql.prepare(`SELECT ${column} AS value FROM ${table} WHERE ${where}`);
  statement.setReadBigInts(true);
  return statement.get()?.["value"];
}

function put({ table, column, where }: Cell, value: unknown): void {
  sql.prepare(`UPDATE ${table} SET ${column} = ? WHERE ${where}`).run(value as never);
}

/** The value with one bit turned. Texts are turned within ASCII, so that they stay texts. */
function flipped(value: unknown, bit: number): unknown {
  if (typeof value === "bigint") return value ^ (1n << BigInt(bit));
  if (value === null || value === undefined) return "x";
  const bytes = typeof value === "string" ? Buffer.from(value) : Buffer.from(value as Uint8Array);
  const at = (bit >> 3) % bytes.length;
  bytes[at] = (bytes[at] as number) ^ (1 << (typeof value === "string" ? bit % 5 : bit % 8));
  return typeof value === "string" ? bytes.toString() : new Uint8Array(bytes);
}

/** What reading the damaged run says; the damage is undone afterwards. */
async function damaged(cell: Cell, bit: number): Promise<unknown> {
  const whole = valueOf(cell);
  put(cell, flipped(whole, bit));
  try {
    return await engine.get("victim").catch((error: unknown) => error);
  } finally {
    put(cell, whole);
  }
}

const codes = ["JournalCorrupt", "JournalTooNew", "DatabaseCorrupt"];

/** Whether an outcome is an error that names the damage and the run. */
function isNamed(outcome: unknown): boolean {
  return outcome instanceof MillraceError && codes.includes(outcome.code) && outcome.message.includes("victim");
}

/** Damages of which reading the run said nothing, or nothing clear. */
async function unnoticed(damages: Iterable<readonly [cell: Cell, bit: number]>): Promise<string[]> {
  const silent: string[] = [];
  for (const [cell, bit] of damages) {
    const outcome = await damaged(cell, bit);
    if (!isNamed(outcome))
      silent.push(
        `${cell.column} where ${cell.where}, bit ${bit}: ${outcome instanceof Error ? outcome.message : "nothing"}`,
      );
  }
  return silent;
}

const ofVictim = "run = (SELECT n FROM millrace_runs WHERE id = 'victim')";
const journalRows = (): { position: number; length: number }[] =>
  sql
    .prepare(`SELECT position, length(bytes) AS length FROM millrace_journal WHERE ${ofVictim} ORDER BY first_seq`)
    .all() as never;

test("JournalCorrupt: one bit turned anywhere in the bytes of a journal row is noticed and named, every bit position of sampled bytes of every row", async () => {
  const roll = dice(3);
  const damages = journalRows().flatMap(({ position, length }) => {
    const cell: Cell = { table: "millrace_journal", column: "bytes", where: `position = ${position}` };
    const places = new Set([0, 1, length - 1, ...Array.from({ length: 2 }, () => roll(length))]);
    return [...places].flatMap((at) => bits(8).map((bit) => [cell, at * 8 + bit] as const));
  });
  expect(damages.length).toBeGreaterThan(200);
  expect(await unnoticed(damages)).toEqual([]);
  expect(await engine.get("victim")).toMatchObject({ status: "completed" });
});

function bits(count: number, step = 1): number[] {
  return Array.from({ length: Math.ceil(count / step) }, (_, i) => i * step);
}

test.each(["chain", "first_seq", "count"])(
  "JournalCorrupt: any bit of the column %s of a journal row",
  async (column) => {
    const places = sql
      .prepare(`SELECT first_seq FROM millrace_journal WHERE ${ofVictim}`)
      .all()
      .map((row) => Number(row["first_seq"]));
    const damages = journalRows().flatMap(({ position }, at) => {
      const cell: Cell = { table: "millrace_journal", column, where: `position = ${position}` };
      const whole = Number(valueOf(cell));
      // Every bit in the first two rows, every fifth in the others; the table itself refuses no count, and two rows at one place.
      return bits(32, at < 2 ? 1 : 5)
        .filter(
          (bit) =>
            !(column === "count" && whole === 2 ** bit) &&
            !(column === "first_seq" && places.includes(whole ^ (1 << bit))),
        )
        .map((bit) => [cell, bit] as const);
    });
    expect(await unnoticed(damages)).toEqual([]);
  },
);

test.each(["last_seq", "chain", "graph", "fingerprint", "status"])(
  "JournalCorrupt: a changed %s in the run row",
  async (column) => {
    const cell: Cell = { table: "millrace_runs", column, where: "id = 'victim'" };
    expect(await unnoticed(bits(32).map((bit) => [cell, bit] as const))).toEqual([]);
  },
);

test.each(["completed", "failed", "cancelled", "running", "drained"])(
  "JournalCorrupt: a run row that says %s of a run whose journal says otherwise",
  async (status) => {
    for (const [id, real] of [
      ["victim", "completed"],
      ["parked", "running"],
    ] as const) {
      if (id === "parked" && sql.prepare("SELECT 1 FROM millrace_runs WHERE id = 'parked'").get() === undefined)
        await park();
      if (status === real) continue;
      put({ table: "millrace_runs", column: "status", where: `id = '${id}'` }, status);
      const outcome = await engine.get(id).catch((error: unknown) => error);
      put({ table: "millrace_runs", column: "status", where: `id = '${id}'` }, real);
      expect(outcome, `${id} is ${real}, and its row says ${status}`).toMatchObject({ code: "JournalCorrupt" });
    }
  },
);

/** A run of this file whose process is gone: its op was in flight. */
async function park(): Promise<void> {
  const hang = op("hang", async (_input: { n: number }): Promise<{ n: number }> => new Promise(() => undefined));
  const hanging = graph("hanging", (input: Ref<{ n: number }>) => ({ n: hang({ n: input.n }).n }));
  const other = await openEngine({ backend: sqlite(file), recover: false });
  (await other.start(hanging, { n: 1 }, { id: "parked" })).result().catch(() => undefined);
  await other.close();
}

test("JournalCorrupt: a row that is missing, doubled over another's place, or swapped with its neighbour", async () => {
  const [, second, third] = journalRows() as unknown as [
    { position: number },
    { position: number },
    { position: number },
  ];
  const attempts: [string, () => void][] = [
    ["the second row is gone", () => sql.exec(`DELETE FROM millrace_journal WHERE position = ${second.position}`)],
    [
      "the last row is gone",
      () =>
        sql.exec(
          `DELETE FROM millrace_journal WHERE position = (SELECT max(position) FROM millrace_journal WHERE ${ofVictim})`,
        ),
    ],
    ["all rows are gone", () => sql.exec(`DELETE FROM millrace_journal WHERE ${ofVictim}`)],
    [
      "two rows' bytes are swapped",
      () =>
        sql.exec(
          `UPDATE millrace_journal SET bytes = (SELECT bytes FROM millrace_journal WHERE position = ${third.position}) WHERE position = ${second.position}`,
        ),
    ],
    [
      "a row belongs to another run",
      () => sql.exec(`UPDATE millrace_journal SET run = 99 WHERE position = ${second.position}`),
    ],
  ];
  for (const [what, damage] of attempts) {
    sql.exec("CREATE TEMP TABLE saved AS SELECT * FROM millrace_journal");
    damage();
    const outcome = await engine.get("victim").catch((error: unknown) => error);
    const neighbour = await engine.get("behind");
    sql.exec("DELETE FROM millrace_journal; INSERT INTO millrace_journal SELECT * FROM saved; DROP TABLE saved");
    expect(isNamed(outcome), what).toBe(true);
    expect(neighbour, what).toMatchObject({ status: "completed" });
  }
});

test("JournalCorrupt: a blob with a turned bit, or none at all", async () => {
  const cell: Cell = { table: "millrace_blobs", column: "bytes", where: "1" };
  const roll = dice(5);
  expect(await unnoticed(bits(20).map(() => [cell, roll(70_000 * 8)] as const))).toEqual([]);
  sql.exec("CREATE TEMP TABLE saved AS SELECT * FROM millrace_blobs; DELETE FROM millrace_blobs");
  const outcome = await engine.get("victim").catch((error: unknown) => error);
  sql.exec("INSERT INTO millrace_blobs SELECT * FROM saved; DROP TABLE saved");
  expect(isNamed(outcome)).toBe(true);
});

test("JournalCorrupt: resume notices as well, starts nothing, and leaves the run to be resumed once it is healed", async () => {
  const seen = { bodies: 0, hangs: true };
  const step = op("step", async ({ k }: { k: number }) => {
    seen.bodies++;
    if (seen.hangs && k === 1) await new Promise(() => undefined);
    return { k };
  });
  const held = graph("held", (input: Ref<{ n: number }>) => ({
    all: collect(step({ k: numbers({ n: input.n }).k }).k),
  }));
  const first = await openEngine({ backend: sqlite(file), recover: false });
  (await first.start(held, { n: 2 }, { id: "held" })).result().catch(() => undefined);
  while (seen.bodies < 2) await new Promise((resolve) => setImmediate(resolve));
  await first.close();
  seen.hangs = false;
  seen.bodies = 0;
  const second = await openEngine({ backend: sqlite(file), graphs: [held], recover: false });
  const roll = dice(11);
  const rows = sql
    .prepare(
      "SELECT position, length(bytes) AS length FROM millrace_journal WHERE run = (SELECT n FROM millrace_runs WHERE id = 'held')",
    )
    .all() as { position: number; length: number }[];
  for (const { position, length } of rows) {
    for (let i = 0; i < 6; i++) {
      const cell: Cell = { table: "millrace_journal", column: "bytes", where: `position = ${position}` };
      const whole = valueOf(cell);
      put(cell, flipped(whole, roll(length * 8)));
      await expect(second.resume("held")).rejects.toMatchObject({
        code: "JournalCorrupt",
        message: expect.stringContaining("held"),
      });
      put(cell, whole);
    }
  }
  expect(seen.bodies).toBe(0);
  expect(await (await second.resume("held")).output()).toEqual({ all: [0, 1] });
  expect(seen.bodies).toBe(1);
  await second.close();
});

test("JournalCorrupt: a damaged run does not resume and keeps no other run from resuming; healed, it does", async () => {
  const hang = op("describeLater", async ({ k }: { k: number }) => {
    if (!open) await new Promise(() => undefined);
    return { k };
  });
  let open = false;
  const orphans = graph("orphans", (input: Ref<{ n: number }>) => ({
    all: collect(hang({ k: numbers({ n: input.n }).k }).k),
  }));
  const first = await openEngine({ backend: sqlite(file), recover: false });
  for (const id of ["orphan1", "orphan2", "orphan3"])
    (await first.start(orphans, { n: 2 }, { id })).result().catch(() => undefined);
  await new Promise((resolve) => setTimeout(resolve, 30));
  await first.close();
  open = true;

  const cell: Cell = {
    table: "millrace_journal",
    column: "bytes",
    where: "run = (SELECT n FROM millrace_runs WHERE id = 'orphan2') AND first_seq = 1",
  };
  const whole = valueOf(cell);
  put(cell, flipped(whole, 500));
  const warnings: string[] = [];
  const second = await openEngine({ backend: sqlite(file), graphs: [orphans], warn: (text) => warnings.push(text) });
  const outputs = await Promise.all(second.recovered.map((handle) => handle.output()));
  expect(second.recovered.map(({ runId }) => runId).toSorted()).toEqual(["orphan1", "orphan3"]);
  expect(outputs).toEqual([{ all: [0, 1] }, { all: [0, 1] }]);
  await expect(second.resume("orphan2")).rejects.toMatchObject({
    code: "JournalCorrupt",
    message: expect.stringContaining("orphan2"),
  });
  expect(warnings.join("\n")).toContain("orphan2");
  put(cell, whole);
  expect(await (await second.resume("orphan2")).output()).toEqual({ all: [0, 1] });
  await second.close();
});
