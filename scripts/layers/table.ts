/**
 * The rooms of `packages/core/src` and what each may import. A folder that is not listed here does not exist.
 * ARCHITECTURE.md says why; `scripts/test/layers.test.ts` breaks every rule once and expects it to be named.
 */

export interface Layer {
  /** Folders, or single files, that it may import besides itself. */
  readonly mayImport: readonly string[];
  /** Deterministic: besides clocks and timers, no promises, no async, no microtasks. */
  readonly pure?: true;
  /** Reachable only through an entry of its own, so `node:*` and real clocks are allowed. */
  readonly host?: true;
  /** Home of the system clock and system randomness: the one place of the default entry that may call them. */
  readonly systemPorts?: true;
}

const vocabulary = ["base", "secrets", "events", "model", "ports"];
const kernel = [...vocabulary, "build", "state", "scheduler"];
const everything = [...kernel, "runtime", "journal", "backends", "store", "engine", "state-graph", "workflow"];

export const layers: Readonly<Record<string, Layer>> = {
  base: { mayImport: [] },
  secrets: { mayImport: ["base"] },
  events: { mayImport: ["base"] },
  // Settled results are typed by what the journal records of a failure.
  model: { mayImport: ["base", "secrets", "events"] },
  ports: { mayImport: ["base", "events", "model"], systemPorts: true },
  build: { mayImport: vocabulary, pure: true },
  state: { mayImport: vocabulary, pure: true },
  scheduler: { mayImport: [...vocabulary, "build", "state"], pure: true },
  runtime: { mayImport: kernel },
  // Recovery is the same `step` fed with recorded events, hence the kernel; the runner's view of a journal is its port.
  journal: { mayImport: [...kernel, "runtime/recorder.ts"] },
  // Backends store bytes: they never see the scheduler, nor it them.
  backends: { mayImport: [...vocabulary, "journal"] },
  // The store as its users see it, over the entries of any backend.
  store: { mayImport: [...vocabulary, "build", "journal", "backends", "runtime/validate.ts"] },
  adapter: { mayImport: vocabulary, host: true },
  // Workers find tasks of state graphs as they find ops: among what a module exports.
  node: {
    mayImport: [...vocabulary, "adapter", "journal", "backends/wrapped.ts", "state-graph/task-bodies.ts"],
    host: true,
  },
  engine: { mayImport: [...kernel, "runtime", "journal", "backends", "store"] },
  // Read by linters, which load nothing else of the package.
  lint: { mayImport: [] },
  // What runs tasks elsewhere reads and writes what travels.
  "state-graph": {
    mayImport: [...vocabulary, "build", "engine", "journal/codec/codec.ts", "journal/encode-as.ts"],
  },
  workflow: { mayImport: [...vocabulary, "build", "engine"] },
  testing: { mayImport: [...everything, "node"], host: true },
};

/** Files that are lists of exports, each with the layers it may show. Everywhere else such a file is a barrel. */
export const entries: Readonly<Record<string, readonly string[]>> = {
  "index.ts": everything,
  "lint/index.ts": ["lint"],
  "adapter/index.ts": ["adapter", ...layers["adapter"]!.mayImport],
  "node/index.ts": ["node", ...layers["node"]!.mayImport],
  "testing/index.ts": ["testing", ...layers["testing"]!.mayImport],
};

/** Names that say nothing and collect everything. */
export const dumpNames: readonly string[] = [
  "types",
  "utils",
  "util",
  "helpers",
  "helper",
  "manager",
  "common",
  "misc",
];

/** Globals through which time, chance and the event loop get in. `Date` counts only as `new Date()` or `Date()`. */
export const impureGlobals: readonly string[] = [
  "performance",
  "crypto",
  "setTimeout",
  "setInterval",
  "setImmediate",
  "requestAnimationFrame",
  "requestIdleCallback",
  "MessageChannel",
];
export const impureMembers: readonly string[] = ["Date.now", "Math.random", "AbortSignal.timeout"];

/** Forbidden in pure layers besides the above. */
export const asyncGlobals: readonly string[] = ["Promise", "queueMicrotask"];

/** What code outside core may import, from the workspace and of packages of others, by folder. */
export const consumers: readonly { readonly folder: string; readonly mayImport: readonly string[] }[] = [
  {
    folder: "packages/millrace/src",
    mayImport: ["@millrace/core", "@millrace/core/lint", "@millrace/core/node", "@millrace/core/testing", "commander"],
  },
  {
    folder: "packages/postgres/src",
    mayImport: ["@millrace/core", "@millrace/core/adapter", "@millrace/core/node", "pg"],
  },
  {
    folder: "packages/mysql/src",
    mayImport: ["@millrace/core", "@millrace/core/adapter", "@millrace/core/node", "mysql2/promise"],
  },
  { folder: "packages/otel/src", mayImport: ["@millrace/core", "@opentelemetry/api"] },
  { folder: "examples/inbox/src", mayImport: ["millrace", "postal-mime"] },
  { folder: "examples/patterns/src", mayImport: ["millrace", "zod"] },
];
