import { expect, test } from "vitest";
import { z } from "zod";
import { append, cell, collect, derive, each, graph, op, push, type OpOptions, type Ref } from "../../src/index.ts";

interface Variant {
  readonly graph?: string;
  readonly op?: OpOptions;
  readonly call?: object;
  readonly swap?: boolean;
  readonly constant?: number;
  readonly errors?: "fail" | "skip";
  readonly cell?: string;
  readonly schema?: boolean;
  readonly extra?: boolean;
  readonly field?: "a" | "b";
}

/** One graph with one thing different. */
function fingerprint(v: Variant = {}): string {
  const options = { ...v.op, ...(v.schema === true ? { output: z.object({ y: z.number() }) } : {}) };
  const one = op("one", options, async (_i: { x: string; k: number; z: string }) => ({ y: 1 }));
  const log = cell(v.cell ?? "log", append<number>());
  const built = graph(v.graph ?? "g", (input: Ref<{ xs: string[]; a: string; b: string }>) => {
    const x = each(input.xs);
    const k = v.constant ?? 1;
    const z = input[v.field ?? "a"];
    const o = v.swap === true ? one({ z, k, x }, v.call) : one({ x, k, z }, v.call);
    push(log, o.y);
    const all = collect(o.y, { errors: v.errors ?? "fail" });
    if (v.extra === true) derive(all, (ys) => ys.length);
    return v.swap === true ? { b: input.b, all } : { all, b: input.b };
  });
  return built.plan.fingerprint;
}

test("the fingerprint is a stable hash: it may only change with the format of fingerprints", () => {
  expect(fingerprint()).toBe("sha256:1fb69d4602e2a2b89948ab8711e12a1f00464e470898c60f9f003cd5e62d9d09");
});

test.each<[string, Variant]>([
  ["the order of keys", { swap: true }],
  ["constants", { constant: 2 }],
  ["retry", { op: { retry: { attempts: 7 } } }],
  ["timeouts", { op: { timeout: { run: "3s" } } }],
  ["policies of the call", { call: { retry: false, onFailure: "raise" } }],
  ["schemas", { schema: true }],
])("%s are not part of the fingerprint", (_name, variant) => {
  expect(fingerprint(variant)).toBe(fingerprint());
});

test("names, edges, versions, effect, parallel, buffer and onFull are", () => {
  const variants: Variant[] = [
    {},
    { graph: "h" },
    { call: { name: "uno" } },
    { op: { version: "2" } },
    { op: { effect: "pure" } },
    { call: { parallel: 2 } },
    { call: { buffer: 2 } },
    { call: { onFull: "dropOldest" } },
    { errors: "skip" },
    { cell: "journal" },
    { extra: true },
    { field: "b" },
  ];
  expect(new Set(variants.map(fingerprint)).size).toBe(variants.length);
});
