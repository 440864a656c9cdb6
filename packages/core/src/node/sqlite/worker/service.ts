import type {
  ChangingAppend,
  Command,
  PlainAppend,
  Request,
  RequestMessage,
  SqliteSettings,
  WorkerOptions,
} from "../protocol.ts";
import { disownRuns } from "../sql/disown-runs.ts";
import { answerRead, isRead, type ReadCommand } from "./answer-read.ts";
import { releaseRuns } from "../sql/release-runs.ts";
import type { Answers } from "./answers.ts";
import { view } from "./bytes.ts";
import type { Connection } from "./connection.ts";
import { Database } from "./database.ts";
import { integrityOf } from "./integrity.ts";
import { breaksHandle, toFailure } from "./failure.ts";
import type { Outcome } from "./group-commit.ts";
import { countLiving, isDead, OwnerLock, sweepDeadOwners } from "./owner-lock.ts";
import type { Owners } from "./owners.ts";
import { bytesOf, statsOf } from "./stats.ts";
import { Watch } from "./watch.ts";
import { whileBusy } from "./while-busy.ts";
import type { Write } from "./write.ts";
import { plainAppendWrite } from "./write-append.ts";
import { changingAppendWrite } from "./write-changing-append.ts";
import { WriteQueue } from "./write-queue.ts";
import { type WriteCommand, writeOf } from "./writes.ts";

/** Serves one opened database to one owner. */
export class Service {
  readonly #database: Database;
  readonly #options: WorkerOptions;
  readonly #owners: Owners;
  readonly #lock: OwnerLock;
  readonly #answers: Answers;
  readonly #writes: WriteQueue;
  readonly #watch: Watch;
  readonly #reads: Set<Promise<void>> = new Set();

  private constructor(database: Database, options: WorkerOptions, owner: string, lock: OwnerLock, answers: Answers) {
    this.#database = database;
    this.#options = options;
    this.#owners = { self: owner, folder: ownersFolder(database) };
    this.#lock = lock;
    this.#answers = answers;
    this.#writes = new WriteQueue(database, options.busyTimeout, (outcomes) => this.#settle(outcomes));
    this.#watch = new Watch(
      () => database.foreignVersion(),
      () => this.#hint(),
    );
  }

  static async open(options: WorkerOptions, owner: string, answers: Answers): Promise<Service> {
    const database = new Database(options);
    try {
      await whileBusy(options.busyTimeout, () => database.writer());
      const lock = OwnerLock.acquire(ownersFolder(database), owner);
      await whileBusy(options.busyTimeout, () => tidyOwners(database, owner));
      return new Service(database, options, owner, lock, answers);
    } catch (error) {
      database.close();
      throw error;
    }
  }

  settings(): SqliteSettings {
    return this.#database.settings();
  }

  receive(message: RequestMessage): void {
    let offset = 0;
    for (const request of message.requests) {
      const byteLength = isAppend(request) ? request[1] : request.byteLength;
      this.#dispatch(request, view(message.bytes, offset, byteLength));
      offset += byteLength;
    }
  }

  /** Commits one group of what was received. True when there is more to commit at once. */
  commitSome(): boolean {
    const more = this.#writes.commitSome();
    this.#watch.lookIfLate();
    return more;
  }

  async close(): Promise<void> {
    this.#watch.stop();
    await this.#writes.idle();
    await Promise.all(this.#reads);
    // If that fails, they are runs of an owner that died, which the next one proves.
    await whileBusy(this.#options.busyTimeout, () => this.#giveUpRuns()).catch(() => undefined);
    this.#lock.release();
    this.#database.close();
  }

  #giveUpRuns(): void {
    const writer = this.#database.writer();
    writer.begin();
    try {
      writer.run(releaseRuns, this.#owners.self);
      writer.commit();
    } catch (error) {
      writer.rollback();
      throw error;
    }
  }

  #dispatch(request: Request, bytes: Uint8Array): void {
    if (isAppend(request)) this.#writes.push(appendWrite(request, bytes));
    else if (isRead(request)) this.#read(request.id, () => this.#answerRead(request, bytes));
    else this.#dispatchOther(request, bytes);
  }

  #dispatchOther(command: Exclude<Command, ReadCommand>, bytes: Uint8Array): void {
    switch (command.name) {
      case "stats":
        return this.#read(command.id, () => this.#answerStats(command.id));
      case "living":
        return this.#read(command.id, () => this.#answerLiving(command.id, command.input.owners));
      case "integrity":
        return this.#read(command.id, async () => this.#answers.succeed(command.id, await this.#reading(integrityOf)));
      case "vacuum":
        return this.#read(command.id, () => this.#vacuum(command.id));
      case "watch":
        this.#watch.start();
        this.#answers.succeed(command.id, undefined);
        return this.#answers.flush();
      case "open":
      case "close":
        throw new Error(`${command.name} comes alone`);
      default:
        return this.#writes.push(writeOf(command satisfies WriteCommand, bytes, this.#owners));
    }
  }

  #settle(outcomes: readonly Outcome[]): void {
    for (const outcome of outcomes) {
      const { write } = outcome;
      if (!outcome.ok) {
        this.#answers.fail(write.id, toFailure(outcome.error, this.#database.file));
      } else {
        this.#answers.succeed(write.id, outcome.answer);
        if (write.hints?.(outcome.answer) === true) this.#answers.hint();
      }
    }
    this.#answers.flush();
  }

  #hint(): void {
    this.#answers.hint();
    this.#answers.flush();
  }

  #read(id: number, answer: () => Promise<void>): void {
    const read = this.#answer(id, answer);
    this.#reads.add(read);
    void read.then(() => this.#reads.delete(read));
  }

  /** Never rejects. */
  async #answer(id: number, answer: () => Promise<void>): Promise<void> {
    try {
      await answer();
    } catch (error) {
      if (breaksHandle(error)) this.#database.close();
      this.#answers.fail(id, toFailure(error, this.#database.file));
    }
    this.#answers.flush();
  }

  #answerRead(command: ReadCommand, bytes: Uint8Array): Promise<void> {
    return this.#reading((reader) => answerRead(reader, command, this.#owners.self, bytes, this.#answers));
  }

  async #answerStats(id: number): Promise<void> {
    const owners = countLiving(this.#owners.folder, this.#owners.self);
    this.#answers.succeed(id, await statsOf(this.#database.file, owners, (work) => this.#reading(work)));
  }

  async #answerLiving(id: number, owners: readonly string[]): Promise<void> {
    const { self, folder } = this.#owners;
    this.#answers.succeed(
      id,
      owners.filter((owner) => owner === self || !isDead(folder, owner)),
    );
  }

  /** The log is written back too: else the file would stay as long as it was. */
  async #vacuum(id: number): Promise<void> {
    const { file } = this.#database;
    const before = bytesOf(file);
    await this.#writes.idle();
    await whileBusy(this.#options.busyTimeout, () => this.#database.writer().exec("VACUUM"));
    await whileBusy(this.#options.busyTimeout, () => this.#database.writer().pragma("wal_checkpoint(TRUNCATE)"));
    this.#answers.succeed(id, { before, after: bytesOf(file) });
  }

  #reading<Result>(work: (reader: Connection) => Result): Promise<Result> {
    return whileBusy(this.#options.busyTimeout, () => work(this.#database.reader()));
  }
}

/** Under the write lock, as every proof of death: see `claimWrite`. */
function tidyOwners(database: Database, owner: string): void {
  const writer = database.writer();
  writer.begin();
  try {
    writer.run(disownRuns, owner);
    sweepDeadOwners(ownersFolder(database), owner);
    writer.commit();
  } catch (error) {
    writer.rollback();
    throw error;
  }
}

function ownersFolder(database: Database): string {
  return `${database.file}-owners`;
}

function isAppend(request: Request): request is PlainAppend | ChangingAppend {
  return Array.isArray(request);
}

function appendWrite(request: PlainAppend | ChangingAppend, bytes: Uint8Array): Write {
  return request.length === 8 ? plainAppendWrite(request, bytes) : changingAppendWrite(request, bytes);
}
