/** A value that follows a call through its promises: the part of Node's `AsyncLocalStorage` that is used. */
export interface AsyncStorage {
  run<T>(value: unknown, act: () => T): T;
  getStore(): unknown;
}
