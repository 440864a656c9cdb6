/**
 * Concurrent durable runs of a chain on PostgreSQL, and the bare statements that they came to: the same texts with the same
 * parameters, one commit after the other through one connection, by nobody who schedules, encodes or waits for anything.
 */
import { openEngine, type Engine, type EngineOptions, type Graph } from "@millrace/core";
import { postgres } from "@millrace/postgres";
import { Client, Pool } from "pg";
import { appendDriver } from "../../../packages/postgres/src/appends/append-driver.ts";
import { statementsOf } from "../../../packages/postgres/src/sql/statements.ts";
import type { Side } from "../harness/pairs.ts";
import type { Step } from "./step.ts";

export interface PostgresRuns {
  readonly url: string;
  readonly runs: number;
  readonly chain: Graph<Step, Step>;
  readonly durability: NonNullable<EngineOptions["durability"]>;
}

export interface PostgresSides {
  readonly ours: Side;
  readonly floor: Side;
  readonly notes: readonly string[];
}

interface Sent {
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

/** What one rehearsal sent, in order. */
interface Rehearsal {
  readonly schema: string;
  readonly creates: readonly Sent[];
  readonly commits: readonly Sent[];
}

/** Both sides, per `units` of each. */
export async function postgresSides(work: PostgresRuns, units: number): Promise<PostgresSides> {
  const fresh = freshSchemas();
  const rehearsal = await rehearse(work, fresh());
  const bytes = rehearsal.commits.flatMap(({ values }) => values.filter((value) => Buffer.isBuffer(value)));
  const rows = rehearsal.commits.reduce((sum, commit) => sum + rowsOf(commit), 0);
  return {
    ours: oursOf(work, fresh, units),
    floor: floorOf(work, fresh, units, rehearsal),
    notes: [
      `${rehearsal.commits.length} commits of ${(rows / rehearsal.commits.length).toFixed(1)} rows`,
      `${(bytes.reduce((sum, { byteLength }) => sum + byteLength, 0) / rows).toFixed(0)} B per row`,
    ],
  };
}

/** Counts stand in the ninth parameter of those that hold several. */
function rowsOf({ name, values }: Sent): number {
  return name === "millrace_advanceRun" ? 1 : String(values[8]).split(",").length;
}

function freshSchemas(): () => string {
  let count = 0;
  return () => `bench_${count++}`;
}

function open({ url, durability }: PostgresRuns, schema: string): Promise<Engine> {
  return openEngine({ backend: postgres(url, { schema }), durability });
}

async function runAll(engine: Engine, { runs, chain }: PostgresRuns): Promise<void> {
  await Promise.all(Array.from({ length: runs }, () => engine.run(chain, { x: 0 })));
}

async function rehearse(work: PostgresRuns, schema: string): Promise<Rehearsal> {
  const sent: Sent[] = [];
  const query = Reflect.get<typeof Client.prototype, "query">(Client.prototype, "query");
  const watch = function (this: Client, config: Partial<Sent>, ...rest: unknown[]): unknown {
    const { name, text, values } = config;
    if (name !== undefined && text !== undefined && values !== undefined)
      sent.push({ name, text, values: [...values] });
    return Reflect.apply(query as (...args: unknown[]) => unknown, this, [config, ...rest]);
  };
  Reflect.set(Client.prototype, "query", watch);
  try {
    const engine = await open(work, schema);
    await runAll(engine, work);
    await engine.close();
  } finally {
    Reflect.set(Client.prototype, "query", query);
  }
  await drop(work.url, schema);
  return {
    schema,
    creates: sent.filter(({ name }) => name === "millrace_insertRun"),
    commits: sent.filter(({ name }) => name.startsWith("millrace_advance")),
  };
}

function oursOf(work: PostgresRuns, fresh: () => string, units: number): Side {
  let schema = "";
  let engine: Engine | undefined;
  return {
    units,
    async prepare() {
      schema = fresh();
      engine = await open(work, schema);
    },
    run: () => engine !== undefined && runAll(engine, work),
    async finish() {
      await engine?.close();
      await drop(work.url, schema);
    },
  };
}

function floorOf({ url }: PostgresRuns, fresh: () => string, units: number, rehearsal: Rehearsal): Side {
  let schema = "";
  let pool = new Pool({ connectionString: url });
  let connection: Client | undefined;
  const creates: Sent[] = [];
  const commits: Sent[] = [];
  return {
    units,
    async prepare() {
      schema = fresh();
      const backend = postgres(url, { schema });
      await backend.open("bench");
      await backend.close();
      const moved = (sent: Sent): Sent => ({ ...sent, text: sent.text.replaceAll(rehearsal.schema, schema) });
      creates.splice(0, Infinity, ...rehearsal.creates.map(moved));
      commits.splice(0, Infinity, ...rehearsal.commits.map(moved));
      pool = new Pool({ connectionString: url, max: 10 });
      connection = await appendDriver({
        config: { connectionString: url },
        session: { name: "floor", synchronousCommit: "on", applicationName: "floor" },
        statements: statementsOf(schema),
        ownerN: 0,
      }).connect(() => undefined);
    },
    async run() {
      await Promise.all(creates.map(({ name, text, values }) => pool.query({ name, text, values: [...values] })));
      for (const { name, text, values } of commits) await connection?.query({ name, text, values: [...values] });
    },
    async finish() {
      await Promise.all([pool.end(), connection?.end()]);
      await drop(url, schema);
    },
  };
}

async function drop(url: string, schema: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(`DROP SCHEMA "${schema}" CASCADE`);
  await client.end();
}
