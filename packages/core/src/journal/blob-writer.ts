/** Values of one run on their way to the store of blobs, and which of them no row names yet (J4). */
import type { Backend } from "../ports/backend.ts";
import type { Clock } from "../ports/clock.ts";
import { systemSha256 } from "../ports/system.ts";
import { blobBytes } from "./blobs.ts";

/** A blob that is older when the row that names it is written may be taken for one that nothing names, and pruned. */
const oldMs = 300_000;

interface Sent {
  readonly hash: string;
  readonly at: number;
  readonly stored: Promise<void>;
}

const encoder = new TextEncoder();

/** Who is told of every one of them at once, where rows may come long after their blobs. */
export interface BlobListener {
  onStored(): void;
  onFailed(error: unknown): void;
}

export class BlobWriter {
  readonly #backend: Pick<Backend, "putBlob" | "getBlob">;
  readonly #clock: Pick<Clock, "now">;
  readonly #runId: string;
  readonly #listener: BlobListener | null;
  #waiting: Sent[] = [];
  #unnamed: string[] = [];
  /** Bytes that are not stored yet. */
  underWay = 0;

  /** `listener` null: rows follow their blobs soon, and who sends them is told. */
  constructor(
    backend: Pick<Backend, "putBlob" | "getBlob">,
    clock: Pick<Clock, "now">,
    runId: string,
    listener: BlobListener | null,
  ) {
    this.#backend = backend;
    this.#clock = clock;
    this.#runId = runId;
    this.#listener = listener;
  }

  /** What stands in the record instead, and how many bytes went away. */
  store(text: string): { readonly reference: string; readonly size: number } {
    const bytes = encoder.encode(text);
    const hash = systemSha256(bytes);
    const size = bytes.length;
    this.underWay += size;
    const stored = this.#backend.putBlob(hash, bytes).then(() => {
      this.underWay -= size;
      this.#listener?.onStored();
    });
    // It is awaited when its row is sent.
    stored.catch((error: unknown) => this.#listener?.onFailed(error));
    this.#waiting.push({ hash, at: this.#clock.now(), stored });
    this.#unnamed.push(hash);
    return { reference: `{"$b":"${hash}"}`, size };
  }

  /** Nothing is to be waited for. */
  get stored(): boolean {
    return this.#waiting.length === 0;
  }

  /** Resolves when everything is stored until here, and young enough to be named. More may have come meanwhile. */
  async settled(): Promise<void> {
    const sent = this.#waiting;
    this.#waiting = [];
    await Promise.all(sent.map((blob) => this.#settle(blob)));
  }

  async #settle({ hash, at, stored }: Sent): Promise<void> {
    await stored;
    if (this.#listener === null || this.#clock.now() - at < oldMs) return;
    await this.#backend.putBlob(hash, await blobBytes(this.#backend, this.#runId, hash));
  }

  /** Hashes for the row that is sent now; undefined: none. */
  named(): readonly string[] | undefined {
    const named = this.#unnamed;
    if (named.length === 0) return undefined;
    this.#unnamed = [];
    return named;
  }
}
