import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";

export type Row = Record<string, unknown>;

/**
 * In the order of the `?` of a statement, or one object that names its `$parameters`. Never for `?1`: Node 22 counts
 * those as named, Node 24 as unnamed.
 */
export type Values = SQLInputValue[] | [named: Record<string, SQLInputValue>];

/** One open database handle and its prepared statements, by their text. */
export class Connection {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(file: string, options: { readOnly?: boolean } = {}) {
    // No waiting inside SQLite: whoever meets a lock tries again later, and the thread stays free meanwhile.
    this.#database = new DatabaseSync(file, { timeout: 0, readOnly: options.readOnly ?? false });
  }

  get(sql: string, ...values: Values): Row | undefined {
    return this.#prepare(sql).get(...(values as SQLInputValue[]));
  }

  all(sql: string, ...values: Values): Row[] {
    return this.#prepare(sql).all(...(values as SQLInputValue[]));
  }

  iterate(sql: string, ...values: Values): Iterable<Row> {
    return this.#prepare(sql).iterate(...(values as SQLInputValue[]));
  }

  run(sql: string, ...values: Values): void {
    this.#prepare(sql).run(...(values as SQLInputValue[]));
  }

  /** For scripts and pragmas; nothing is kept. */
  exec(sql: string): void {
    this.#database.exec(sql);
  }

  /** The single value of a pragma. */
  pragma(name: string): unknown {
    return Object.values(this.#database.prepare(`PRAGMA ${name}`).get() ?? {})[0];
  }

  begin(): void {
    this.run("BEGIN IMMEDIATE");
  }

  commit(): void {
    this.run("COMMIT");
  }

  /** After some errors SQLite has rolled back by itself; a second ROLLBACK would throw. */
  rollback(): void {
    if (this.#database.isTransaction) this.exec("ROLLBACK");
  }

  /** Never throws: what cannot be closed properly is dropped. */
  close(): void {
    this.#statements.clear();
    try {
      this.#database.close();
    } catch {
      // The handle is unusable either way.
    }
  }

  #prepare(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#database.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}
