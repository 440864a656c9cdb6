import { errorOf, patiently, type ServerPatience } from "@millrace/core/adapter";
import { createPool, type Connection, type Pool, type PoolConnection, type PoolOptions } from "mysql2/promise";

import { destroy, execute, keepAlive, type Answer, type Values } from "./client.ts";
import { endDeadSessions } from "./dead-owners.ts";
import { failuresOf, isLost } from "./failure.ts";
import { endHolder, leaveLock, sessionLock, takeLock } from "./named-locks.ts";
import {
  answerTimeoutMs,
  clientDefaults,
  clientEssentials,
  setUp,
  type Session,
  type SessionOptions,
  type SessionReport,
} from "./session.ts";
import { statementsOf, type Statements } from "./sql/statements.ts";

export interface DatabaseOptions {
  readonly config: PoolOptions;
  readonly prefix: string;
  readonly patienceMs: number;
  readonly session: SessionOptions;
}

/** A database, and whose calls these are. */
export interface Owned {
  readonly database: Database;
  readonly owner: string;
  readonly ownerN: number;
}

/** A connection in the middle of work of several statements. */
export interface Client {
  execute<Row>(text: string, values: Values): Promise<Answer<Row>>;
}

/** For those who do something one after the other. */
const turnSeconds = 30;

/** Whatever a connection does besides appending: a pool of them, each set up before its first statement. */
export class Database {
  readonly statements: Statements;
  readonly patience: ServerPatience;
  readonly #options: DatabaseOptions;
  readonly #pool: Pool;
  readonly #sessions = new WeakMap<object, Session>();
  /** One of each connection that there is: the pool gives another one every time. */
  readonly #clients = new Map<object, PoolConnection>();
  #report: SessionReport | undefined;
  #closed = false;

  constructor(options: DatabaseOptions) {
    const { config, prefix, patienceMs, session } = options;
    this.#options = options;
    this.statements = statementsOf(prefix);
    this.patience = { ms: patienceMs, failures: failuresOf(session.name), isGivenUp: () => this.#closed };
    const { connectionLimit = 10 } = config;
    this.#pool = createPool({
      ...clientDefaults,
      ...config,
      ...clientEssentials,
      connectionLimit,
      maxIdle: connectionLimit,
      waitForConnections: true,
      queueLimit: 0,
    });
  }

  /** Of the last session that was set up. */
  get report(): SessionReport | undefined {
    return this.#report;
  }

  /** One try, on a connection that is ended afterwards, for work of several statements. */
  async withClient<Result>(work: (client: Connection) => Promise<Result>): Promise<Result> {
    const client = await this.#acquire();
    try {
      return await work(client);
    } finally {
      this.#end(client);
    }
  }

  /** One try. A statement that was lost on its way is over, whatever came of it, before the loss is told. */
  async once<Row>(text: string, values: Values = []): Promise<Answer<Row>> {
    return this.#using((client) => execute<Row>(client, text, values, answerTimeoutMs), false);
  }

  /**
   * As `once`, for several statements that happen together, or, when the work throws or says so, not at all. `alone`: while
   * nobody else does what has this name.
   */
  async together<Result>(
    work: (client: Client) => Promise<{ readonly keep: boolean; readonly result: Result }>,
    alone?: string,
  ): Promise<Result> {
    const { name, lockScope } = this.#options.session;
    const lock = alone === undefined ? undefined : `${lockScope}:${alone}`;
    return this.#using(async (client) => {
      if (lock !== undefined && !(await takeLock(client, lock, turnSeconds))) {
        throw errorOf("DatabaseLocked.wait", { backend: name, detail: `named lock ${lock}` });
      }
      await client.query("START TRANSACTION");
      const { keep, result } = await work({
        execute: (text, values) => execute(client, text, values, answerTimeoutMs),
      });
      await client.query(keep ? "COMMIT" : "ROLLBACK");
      if (lock !== undefined) await leaveLock(client, lock);
      return result;
    }, true);
  }

  /** H3 */
  async endDeadSessions(): Promise<number> {
    return this.#using((client) => endDeadSessions(client, this.statements, this.#options.session), false);
  }

  /** The last words to the server, said once. */
  async takeLeave(...words: readonly (readonly [text: string, values: Values])[]): Promise<void> {
    this.#closed = true;
    for (const [text, values] of words) await this.once(text, values);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#pool.end();
  }

  abandon(): void {
    this.#closed = true;
    for (const client of this.#clients.values()) destroy(client);
    this.#clients.clear();
    this.#pool.end().catch(() => undefined);
  }

  /** Whatever is left of a transaction that failed goes with its connection. */
  async #using<Result>(work: (client: Connection) => Promise<Result>, endsOnFailure: boolean): Promise<Result> {
    const client = await this.#acquire();
    const session = this.#sessions.get(client.connection);
    let failure: unknown;
    try {
      return await work(client);
    } catch (error) {
      failure = error;
      throw error;
    } finally {
      const wasLost = failure !== undefined && isLost(failure);
      if (wasLost || (failure !== undefined && endsOnFailure)) this.#end(client);
      else this.#release(client);
      if (wasLost && !this.#closed && session !== undefined) await this.#endLost(session.id);
    }
  }

  async #acquire(): Promise<PoolConnection> {
    const client = await this.#pool.getConnection();
    keepAlive(client, true);
    if (this.#sessions.has(client.connection)) return client;
    this.#clients.set(client.connection, client);
    // Whoever waits for an answer is told by it; without a listener the end of a connection would end the process.
    client.on("error", () => this.#clients.delete(client.connection));
    client.on("end", () => this.#clients.delete(client.connection));
    try {
      const session = await setUp(client, this.#options.session);
      await this.#register(client, session);
      this.#sessions.set(client.connection, session);
      this.#report = session.report;
      return client;
    } catch (error) {
      this.#end(client);
      throw error;
    }
  }

  async #register(client: Connection, { id }: Session): Promise<void> {
    const { session } = this.#options;
    if (session.ownerN === undefined) return;
    await takeLock(client, sessionLock(session, id), 0);
    await client.query(this.statements.insertSession, [session.ownerN]);
  }

  #release(client: PoolConnection): void {
    keepAlive(client, false);
    client.release();
  }

  #end(client: PoolConnection): void {
    this.#clients.delete(client.connection);
    destroy(client);
  }

  /** A connection of ours that was lost while it was working is over before anybody looks what came of it. */
  async #endLost(id: number): Promise<void> {
    const { session } = this.#options;
    const end = (): Promise<boolean> => this.withClient((client) => endHolder(client, sessionLock(session, id), id));
    await patiently(this.patience, end).catch(() => undefined);
  }
}
