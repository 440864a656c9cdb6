import type { Backend } from "../../ports/backend.ts";

/** One store, and the ways a test needs to reach it. */
export interface StoreUnderTest {
  /** A new handle on the store, not yet opened. */
  connect(): Backend | Promise<Backend>;
  /** Makes the owner of this handle die as in a crash: nothing flushed, nothing released, not alive any more. */
  crash(backend: Backend): Promise<void>;
  /** Removes the store. Every handle is closed or crashed by then. */
  dispose(): Promise<void>;
}

export interface ContractCase {
  readonly title: string;
  play(scene: Scene): Promise<void>;
}

/** Hands out opened handles, and closes them after the case. */
export class Scene {
  readonly #store: StoreUnderTest;
  readonly #handles: Backend[] = [];

  constructor(store: StoreUnderTest) {
    this.#store = store;
  }

  async connect(): Promise<Backend> {
    const backend = await this.#store.connect();
    this.#handles.push(backend);
    return backend;
  }

  async open(owner: string): Promise<Backend> {
    const backend = await this.connect();
    await backend.open(owner);
    return backend;
  }

  async crash(backend: Backend): Promise<void> {
    await this.#store.crash(backend);
  }

  async end(): Promise<void> {
    for (const backend of this.#handles) await backend.close();
  }
}
