import type { Command, Request, RequestMessage, SqliteSettings, WorkerOptions } from "../protocol.ts";
import { disownRuns } from "../sql/disown-runs.ts";
import type { Answers } from "./answers.ts";
import { Database } from "./database.ts";
import { breaksHandle, toFailure } from "./failure.ts";
import type { Outcome } from "./group-commit.ts";
import { OwnerLock, sweepDeadOwners } from "./owner-lock.ts";
import { findBlob, listRuns, readPage } from "./reads.ts";
import { findRun } from "./run-row.ts";
import { whileBusy } from "./while-busy.ts";
import type { Write } from "./write.ts";
import { appendWrite } from "./write-append.ts";
import { claimWrite } from "./write-claim.ts";
import { createWrite } from "./write-create.ts";
import { putBlobWrite, releaseWrite } from "./write-other.ts";
import { WriteQueue } from "./write-queue.ts";

type ReadCommand = Extract<Command, { name: "get" | "list" | "read" | "getBlob" }>;

/** An empty view of a transferred buffer would be bound as NULL by Node 22. */
const noBytes: Uint8Array = new Uint8Array(0);

/** Serves one opened database to one owner. */
export class Service {
  readonly #database: Database;
  readonly #options: WorkerOptions;
  readonly #owner: string;
  readonly #lock: OwnerLock;
  readonly #answers: Answers;
  readonly #writes: WriteQueue;

  private constructor(database: Database, options: WorkerOptions, owner: string, lock: OwnerLock, answers: Answers) {
    this.#database = database;
    this.#options = options;
    this.#owner = owner;
    this.#lock = lock;
    this.#answers = answers;
    this.#writes = new WriteQueue(database, options.busyTimeout, (outcomes) => this.#settle(outcomes));
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
      this.#dispatch(request, byteLength === 0 ? noBytes : message.bytes.subarray(offset, offset + byteLength));
      offset += byteLength;
    }
  }

  /** Commits one group of what was received. True when there is more to commit at once. */
  commitSome(): boolean {
    return this.#writes.commitSome();
  }

  async close(): Promise<void> {
    await this.#writes.idle();
    this.#lock.release();
    this.#database.close();
  }

  #dispatch(request: Request, bytes: Uint8Array): void {
    if (isAppend(request)) this.#writes.push(appendWrite(request, bytes));
    else if (isRead(request)) void this.#read(request);
    else this.#writes.push(this.#write(request, bytes));
  }

  #write(command: Exclude<Command, ReadCommand>, bytes: Uint8Array): Write {
    switch (command.name) {
      case "create":
        return createWrite(command, bytes, this.#owner);
      case "claim":
        return claimWrite(command, this.#owner, ownersFolder(this.#database));
      case "release":
        return releaseWrite(command, this.#owner);
      case "putBlob":
        return putBlobWrite(command, bytes);
      case "open":
      case "close":
        throw new Error(`${command.name} is not a write`);
    }
  }

  #settle(outcomes: readonly Outcome[]): void {
    for (const outcome of outcomes) {
      if (outcome.ok) this.#answers.succeed(outcome.write.id, outcome.answer);
      else this.#answers.fail(outcome.write.id, toFailure(outcome.error, this.#database.file));
    }
    this.#answers.flush();
  }

  async #read(command: ReadCommand): Promise<void> {
    try {
      await whileBusy(this.#options.busyTimeout, () => this.#answerRead(command));
    } catch (error) {
      if (breaksHandle(error)) this.#database.close();
      this.#answers.fail(command.id, toFailure(error, this.#database.file));
    }
    this.#answers.flush();
  }

  #answerRead(command: ReadCommand): void {
    const reader = this.#database.reader();
    switch (command.name) {
      case "get":
        return this.#answers.succeed(command.id, findRun(reader, command.input.runId));
      case "list":
        return this.#answers.succeed(command.id, listRuns(reader, command.input));
      case "read": {
        const page = readPage(reader, command.input.runId, command.input.fromSeq);
        return this.#answers.succeedWithBytes(command.id, page, page.bytes);
      }
      case "getBlob": {
        const blob = findBlob(reader, command.input.hash);
        return this.#answers.succeedWithBytes(command.id, blob, blob);
      }
    }
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

function isAppend(request: Request): request is Extract<Request, readonly unknown[]> {
  return Array.isArray(request);
}

function isRead(command: Command): command is ReadCommand {
  return command.name === "get" || command.name === "list" || command.name === "read" || command.name === "getBlob";
}
