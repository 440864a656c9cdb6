import { errorOf } from "../../base/error.ts";

/** What a backend has between `open` and `close`, each of which happens once at a time. */
export class Opened<Connection> {
  readonly #backend: string;
  #connection: Connection | undefined;
  #opening: Promise<Connection> | undefined;
  #closing: Promise<void> | undefined;

  /** `backend`: its name, for messages. */
  constructor(backend: string) {
    this.#backend = backend;
  }

  /**
   * What `connect` gives is there until it is closed; `begin` is called at the moment from which it is.
   *
   * @throws MillraceError `inUse` when it is open, or about to be
   */
  async open(
    connect: () => Promise<Connection>,
    begin: (connection: Connection) => void,
    inUse: "BackendInUse" | "BackendInUse.url",
  ): Promise<void> {
    if (this.#opening !== undefined) throw errorOf(inUse, { backend: this.#backend });
    this.#opening = connect();
    this.#closing = undefined;
    try {
      this.#connection = await this.#opening;
      begin(this.#connection);
    } catch (error) {
      this.#opening = undefined;
      throw error;
    }
  }

  /** @throws MillraceError `BackendNotOpen` */
  get(): Connection {
    if (this.#connection === undefined) throw errorOf("BackendNotOpen", { backend: this.#backend });
    return this.#connection;
  }

  peek(): Connection | undefined {
    return this.#connection;
  }

  /** For whoever ends it without a word; it is not open any more, and cannot be opened again before it is closed. */
  take(): Connection | undefined {
    const connection = this.#connection;
    this.#connection = undefined;
    return connection;
  }

  /** Waits for an opening that is under way. All who close it wait for the same end. */
  close(end: (connection: Connection) => Promise<void>): Promise<void> {
    this.#closing ??= this.#close(end);
    return this.#closing;
  }

  async #close(end: (connection: Connection) => Promise<void>): Promise<void> {
    await this.#opening?.catch(() => undefined);
    const connection = this.take();
    this.#opening = undefined;
    if (connection !== undefined) await end(connection);
  }
}
