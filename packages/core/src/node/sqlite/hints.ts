import { RunWatchers } from "../../ports/run-watchers.ts";

/** Hints of the open handles of this process, by the real path of their file. */
const open = new Map<string, Set<Hints>>();

/** Who waits for hints at one handle; see `Backend.onHint`. What one handle does is told to all that share its file. */
export class Hints {
  readonly #listeners: Set<() => void> = new Set();
  /** Any commit of another process may be of any run. */
  readonly watchers: RunWatchers = new RunWatchers();
  #file: string | undefined;

  add(listener: () => void): void {
    this.#listeners.add(listener);
  }

  /** True if somebody waits. */
  open(file: string): boolean {
    this.#file = file;
    const sharing = open.get(file) ?? new Set();
    open.set(file, sharing.add(this));
    return this.#listeners.size > 0;
  }

  close(): void {
    if (this.#file === undefined) return;
    const sharing = open.get(this.#file);
    sharing?.delete(this);
    if (sharing?.size === 0) open.delete(this.#file);
    this.#file = undefined;
  }

  tellAll(): void {
    if (this.#file === undefined) return;
    for (const { listeners, watchers } of open.get(this.#file) ?? []) {
      for (const listener of listeners) queueMicrotask(listener);
      watchers.tellAll();
    }
  }

  /** Rows of that run were appended by this handle. */
  appended(runId: string): void {
    if (this.#file === undefined) return;
    for (const { watchers } of open.get(this.#file) ?? []) watchers.tell(runId);
  }

  get listeners(): Iterable<() => void> {
    return this.#listeners;
  }
}
