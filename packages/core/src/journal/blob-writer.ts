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

export class BlobWriter {
  readonly #backend: Pick<Backend, "putBlob" | "getBlob">;
  readonly #clock: Pick<Clock, "now">;
  readonly #runId: string;
  readonly #onStored: (() => void) | null;
  #waiting: Sent[] = [];
  #unnamed: string[] = [];
  /** Bytes that are not stored yet. */
  underWay = 0;

  /** `onStored`: rows may come long after their blobs, and somebody waits for what is under way. */
  constructor(
    backend: Pick<Backend, "putBlob" | "getBlob">,
    clock: Pick<Clock, "now">,
    runId: string,
    onStored: (() => void) | null,
  ) {
    this.#backend = backend;
    this.#clock = clock;
    this.#runId = runId;
    this.#onStored = onStored;
  }

  /** What stands in the record instead, and how many bytes went away. */
  store(text: string): { readonly reference: string; readonly size: number } {
    const bytes = encoder.encode(text);
    const hash = systemSha256(bytes);
    const size = bytes.length;
    this.underWay += size;
    const stored = this.#backend.putBlob(hash, bytes).then(() => {
      this.underWay -= size;
      this.#onStored?.();
    });
    // It is awaited when its row is sent; until then nobody listens.
    stored.catch(() => undefined);
    this.#waiting.push({ hash, at: this.#clock.now(), stored });
    this.#unnamed.push(hash);
    return { reference: `{"$b":"${hash}"}`, size };
  }

  /** Nothing is to be waited for. */
  get stored(): boolean {
    return this.#waiting.length === 0;
  }

  /** Resolves when everything is stored, also what comes meanwhile, and young enough to be named. */
  async settled(): Promise<void> {
    while (this.#waiting.length > 0) {
      const sent = this.#waiting;
      this.#waiting = [];
      await Promise.all(sent.map((blob) => this.#settle(blob)));
    }
  }

  async #settle({ hash, at, stored }: Sent): Promise<void> {
    await stored;
    if (this.#onStored === null || this.#clock.now() - at < oldMs) return;
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
