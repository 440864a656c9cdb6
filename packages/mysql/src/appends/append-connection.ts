import {
  patiently,
  type Appending,
  type Failures,
  type Group,
  type JournalTail,
  type Patience,
  type StoredRow,
} from "@millrace/core/adapter";
import { createConnection, type Connection, type ConnectionOptions } from "mysql2/promise";

import { destroy, execute, keepAlive, type Answer, type Values } from "../client.ts";
import { endDeadSessions } from "../dead-owners.ts";
import { failuresOf, isLost } from "../failure.ts";
import { keyOf } from "../keys.ts";
import { endHolder, sessionLock, takeLock } from "../named-locks.ts";
import { appendSeconds, clientDefaults, clientEssentials, graceMs, setUp, type SessionOptions } from "../session.ts";
import type { Statements } from "../sql/statements.ts";
import { prepare } from "./parameters.ts";

export interface AppendConnectionOptions {
  readonly config: ConnectionOptions;
  readonly session: SessionOptions & { readonly ownerN: number };
  readonly statements: Statements;
  readonly patienceMs: number;
}

/** The one connection that appends, made anew when it is lost. The process may end while it waits for nothing. */
export class AppendConnection implements Appending {
  readonly failures: Failures;
  readonly #options: AppendConnectionOptions;
  #client: Connection | undefined;
  #connecting: Promise<Connection> | undefined;
  /** Numbers of connections before this one that may not be over. */
  readonly #former = new Set<number>();
  #id = 0;
  #closed = false;

  constructor(options: AppendConnectionOptions) {
    this.#options = options;
    this.failures = failuresOf(options.session.name);
  }

  async ready(): Promise<Connection> {
    if (this.#client !== undefined) return this.#client;
    this.#connecting ??= patiently(this.#patience(), () => this.#connect()).finally(() => {
      this.#connecting = undefined;
    });
    return this.#connecting;
  }

  async commit(groups: readonly Group[]): Promise<ReadonlySet<number>> {
    const { text, values, keptOf } = prepare(groups, this.#options.statements);
    const { rows } = await this.#query<Record<string, unknown>>(text, values);
    return keptOf(rows[0]);
  }

  async findTail(runId: string, firstSeq: number): Promise<JournalTail | undefined> {
    const { selectJournalRow } = this.#options.statements;
    return (await this.#insist<JournalTail>(selectJournalRow, [firstSeq, keyOf(runId)])).rows[0];
  }

  async findRun(runId: string): Promise<StoredRow | undefined> {
    return (await this.#insist<StoredRow>(this.#options.statements.selectRun, [keyOf(runId)])).rows[0];
  }

  async freeHeld(): Promise<void> {
    const { statements, session } = this.#options;
    await patiently(this.#patience(), async () => endDeadSessions(await this.ready(), statements, session));
  }

  keepAlive(isBusy: boolean): void {
    if (this.#client !== undefined) keepAlive(this.#client, isBusy);
  }

  async close(): Promise<void> {
    this.#closed = true;
    const client = this.#client;
    this.#client = undefined;
    await client?.end();
  }

  abandon(): void {
    this.#closed = true;
    if (this.#client !== undefined) destroy(this.#client);
    this.#client = undefined;
  }

  /** One try, on the connection that there is. */
  async #query<Row>(text: string, values: Values): Promise<Answer<Row>> {
    const client = this.#client ?? (await this.ready());
    try {
      return await execute<Row>(client, text, values, appendSeconds * 1_000 + graceMs);
    } catch (error) {
      // The client itself learns of it a little later.
      if (isLost(error)) this.#drop(client);
      throw error;
    }
  }

  /** Reads that may have to be asked again, on another connection. */
  async #insist<Row>(text: string, values: Values): Promise<Answer<Row>> {
    return patiently(this.#patience(), () => this.#query<Row>(text, values));
  }

  #patience(): Patience {
    return { ms: this.#options.patienceMs, failures: this.failures, isGivenUp: () => this.#closed };
  }

  #drop(client: Connection): void {
    destroy(client);
    if (this.#client !== client) return;
    this.#client = undefined;
    this.#former.add(this.#id);
  }

  async #connect(): Promise<Connection> {
    const { config, session, statements } = this.#options;
    const client = await createConnection({ ...clientDefaults, ...config, ...clientEssentials });
    client.on("error", () => this.#drop(client));
    client.on("end", () => this.#drop(client));
    try {
      const { id } = await setUp(client, session, appendSeconds);
      await this.#endFormer(client);
      await takeLock(client, sessionLock(session, id), 0);
      await client.query(statements.insertSession, [session.ownerN]);
      this.#id = id;
    } catch (error) {
      destroy(client);
      throw error;
    }
    if (this.#closed) destroy(client);
    else this.#client = client;
    return client;
  }

  /** H16: what the connection before was doing is over, one way or the other. */
  async #endFormer(client: Connection): Promise<void> {
    const { session } = this.#options;
    for (const id of this.#former) {
      if (!(await endHolder(client, sessionLock(session, id), id))) {
        throw Object.assign(new Error(`Connection lost: connection ${id} does not end`), { code: "ETIMEDOUT" });
      }
      this.#former.delete(id);
    }
  }
}
