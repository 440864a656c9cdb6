import type { Appending } from "./append-queue.ts";
import type { Group } from "./batch.ts";
import type { JournalTail } from "./calls.ts";
import type { Failures } from "./failures.ts";
import { patiently } from "./patience.ts";
import type { StoredRow } from "./stored-row.ts";

/** How a connection that appends is made, and what is said on it: one try each. */
export interface AppendDriver<Client> {
  readonly failures: Failures;
  /**
   * Resolves with one that is set up; what those before it were doing is over then, one way or the other (H16). `lost` is called
   * when it ends without being told to.
   */
  connect(lost: (client: Client) => void): Promise<Client>;
  /**
   * B2: all appends of each group, or none, each group fenced for itself (H14), in one transaction that no client that stands
   * still can leave open. Resolves with the positions, from 0, of the groups that were not lost, once they are durable (B4).
   */
  commit(client: Client, groups: readonly Group[]): Promise<ReadonlySet<number>>;
  findTail(client: Client, runId: string, firstSeq: number): Promise<JournalTail | undefined>;
  findRun(client: Client, runId: string): Promise<StoredRow | undefined>;
  /** H3: it may be a connection of a dead owner that holds a row of ours, in the middle of a note. */
  freeHeld(client: Client): Promise<unknown>;
  /** Whether the process has to wait for it. */
  keepAlive(client: Client, isBusy: boolean): void;
  /** Waits for what is under way. */
  end(client: Client): Promise<void>;
  /** Without a word to the server; harmless when it is over already. */
  destroy(client: Client): void;
}

/** The one connection that appends, made anew when it is lost. The process may end while it waits for nothing. */
export class AppendConnection<Client> implements Appending {
  readonly failures: Failures;
  readonly patienceMs: number;
  readonly #driver: AppendDriver<Client>;
  #client: Client | undefined;
  #connecting: Promise<Client> | undefined;
  #closed = false;

  constructor(driver: AppendDriver<Client>, patienceMs: number) {
    this.failures = driver.failures;
    this.#driver = driver;
    this.patienceMs = patienceMs;
  }

  async ready(): Promise<Client> {
    if (this.#client !== undefined) return this.#client;
    this.#connecting ??= this.#patiently(() => this.#connect()).finally(() => {
      this.#connecting = undefined;
    });
    return this.#connecting;
  }

  async commit(groups: readonly Group[]): Promise<ReadonlySet<number>> {
    return this.#once((client) => this.#driver.commit(client, groups));
  }

  async findTail(runId: string, firstSeq: number): Promise<JournalTail | undefined> {
    return this.#insist((client) => this.#driver.findTail(client, runId, firstSeq));
  }

  async findRun(runId: string): Promise<StoredRow | undefined> {
    return this.#insist((client) => this.#driver.findRun(client, runId));
  }

  async freeHeld(): Promise<unknown> {
    return this.#insist((client) => this.#driver.freeHeld(client));
  }

  keepAlive(isBusy: boolean): void {
    if (this.#client !== undefined) this.#driver.keepAlive(this.#client, isBusy);
  }

  async close(): Promise<void> {
    const client = this.#leave();
    if (client !== undefined) await this.#driver.end(client);
  }

  abandon(): void {
    const client = this.#leave();
    if (client !== undefined) this.#driver.destroy(client);
  }

  #leave(): Client | undefined {
    const client = this.#client;
    this.#closed = true;
    this.#client = undefined;
    return client;
  }

  /** One try, on the connection that there is; sent at once, also while others wait for their answers. */
  async #once<Result>(work: (client: Client) => Promise<Result>): Promise<Result> {
    const client = this.#client ?? (await this.ready());
    try {
      return await work(client);
    } catch (error) {
      // The client itself learns of it a little later.
      if (this.failures.isLost(error)) this.#drop(client);
      throw error;
    }
  }

  /** What may have to be asked again, on another connection. */
  #insist<Result>(work: (client: Client) => Promise<Result>): Promise<Result> {
    return this.#patiently(() => this.#once(work));
  }

  #patiently<Result>(work: () => Promise<Result>): Promise<Result> {
    return patiently({ ms: this.patienceMs, failures: this.failures, isGivenUp: () => this.#closed }, work);
  }

  #drop(client: Client): void {
    this.#driver.destroy(client);
    if (this.#client === client) this.#client = undefined;
  }

  async #connect(): Promise<Client> {
    const client = await this.#driver.connect((lost) => this.#drop(lost));
    if (this.#closed) this.#driver.destroy(client);
    else this.#client = client;
    return client;
  }
}
