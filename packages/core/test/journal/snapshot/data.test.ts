import { expect, test } from "vitest";
import { derive, graph, op, type Ref } from "../../../src/index.ts";
import { planOf } from "../../../src/build/plan-of.ts";
import { constantsOf, type Constants } from "../../../src/journal/snapshot/constants.ts";
import { Budget, DataReader, DataWriter, OverBudget } from "../../../src/journal/snapshot/data.ts";
import { sparse } from "../../../src/journal/snapshot/fields.ts";
import { kinds } from "../../../src/journal/snapshot/nodes.ts";
import { snapshotFormat } from "../../../src/journal/snapshot/record.ts";
import { runFields } from "../../../src/journal/snapshot/run-fields.ts";
import type { StateReader } from "../../../src/journal/snapshot/state-reader.ts";
import type { StateWriter } from "../../../src/journal/snapshot/state-writer.ts";
import { omitted, unresolved } from "../../../src/state/collect.ts";

const none: Constants = { all: [], numbers: new Map<object, number>(), shape: "" };

function there(values: readonly unknown[], constants = none, budget = Infinity): string {
  const writer = new DataWriter(new Budget(budget), constants);
  const forms = values.map((value) => writer.write(value));
  writer.finish();
  return JSON.stringify(forms);
}

function through(values: readonly unknown[], constants = none): unknown[] {
  const reader = new DataReader(constants);
  return (JSON.parse(there(values, constants)) as unknown[]).map((form) => reader.read(form));
}

test("H24 values of every kind come back as they were", () => {
  const values = [
    { $r: 1, $d: [2], deep: [{ $v: "x" }] },
    JSON.parse('{"__proto__":1,"constructor":2}'),
    [undefined, -0, Number.NaN, 10n, "\ud800", null, true],
    new Map([[{ a: 1 }, new Set([1])]]),
    // oxlint-disable-next-line no-sparse-arrays
    [1, , 3],
    new Date(5),
    Object.assign(Object.create(null) as object, { a: 1 }),
  ];
  expect(through(values)).toStrictEqual(values);
});

test("H24 one object that stands in many places is one object again, wherever it was met first, and in a circle too", () => {
  const shared = { n: 1, list: [1] };
  const date = new Date(7);
  const circle: Record<string, unknown> = { shared };
  circle["self"] = circle;
  const [a, b, c, d, e] = through([{ in: { deep: shared } }, shared, [shared.list, date], date, circle]) as [
    { in: { deep: unknown } },
    typeof shared,
    [unknown, unknown],
    unknown,
    { self: unknown; shared: unknown },
  ];
  expect(a.in.deep).toBe(b);
  expect(c[0]).toBe(b.list);
  expect(c[1]).toBe(d);
  expect(e.self).toBe(e);
  expect(e.shared).toBe(b);
});

test("what is frozen is frozen again, and what is not is not", () => {
  const inner = Object.freeze({ a: Object.freeze([1]) });
  const [open, frozen] = through([{ inner, own: [] }, inner]) as [{ inner: { a: number[] }; own: unknown[] }, unknown];
  expect(open.inner).toBe(frozen);
  expect([Object.isFrozen(open), Object.isFrozen(open.own)]).toEqual([false, false]);
  expect([Object.isFrozen(open.inner), Object.isFrozen(open.inner.a)]).toEqual([true, true]);
});

test("marks of collectors are no values", () => {
  expect(through([[omitted, 1, unresolved]])).toEqual([[omitted, 1, unresolved]]);
});

test("constants of the graph are the graph's own objects again, whatever they are", () => {
  const compare = (a: number, b: number): number => a - b;
  const sort = op("sort", (_input: { by: { compare: typeof compare }; n: number }) => ({ n: 1 }));
  const plan = planOf(
    graph("g", (input: Ref<{ n: number }>) => ({ n: sort({ by: { compare }, n: derive(input.n, (n) => n) }).n })),
  );
  const constants = constantsOf(plan);
  const by = constants.all.find((constant) => "compare" in constant);
  expect(constants.shape).not.toBe("");
  expect(through([{ by }], constants)).toEqual([{ by }]);
  expect((through([{ by }], constants)[0] as { by: unknown }).by).toBe(by);
  expect(() => there([{ compare }], none)).toThrow("function");
});

test("writing stops where it costs more than it may", () => {
  expect(() => there([Array.from({ length: 1_000 }, (_, i) => ({ i }))], none, 500)).toThrow(OverBudget);
});

test("H24 what is absent from a list is one number below 0 for all that stand together, or in journals of before 0 for each", () => {
  const lanes = sparse<string>({
    save: (_, value) => value ?? 0,
    load: (_, saved) => (saved === 0 ? undefined : (saved as string)),
  });
  const list = [undefined, undefined, "a", undefined, "b", undefined];
  // The field of this list needs neither.
  const writer: StateWriter = null!;
  const reader: StateReader = null!;
  expect(lanes.save(writer, list, undefined)).toEqual([-2, "a", -1, "b"]);
  expect(lanes.load(reader, [-2, "a", -1, "b"], undefined)).toEqual(list.slice(0, -1));
  expect(lanes.load(reader, [0, 0, "a", 0, "b", 0], undefined)).toEqual(list);
});

test("H24 the layout of a state belongs to the format's number: whoever changes one raises the other", () => {
  const layout = [...kinds.map(({ fields }) => fields), runFields].map((fields) => Object.keys(fields).join(" "));
  expect({ format: snapshotFormat, layout }).toMatchInlineSnapshot(`
    {
      "format": 4,
      "layout": [
        "parent stream block states values open holds closed abandoned started waiters streams blocks previous next",
        "context input attempt todo due yielded seq next body",
        "owner children failures decided winner gave abandoned",
        "owner list producer yielded openItems waiting ended forward failing failure dropped first last lanes collects byIndex region",
        "left fired items omissions failure failureIndex accumulator next early relays gaps",
        "from at failure gone ended waiting",
        "state",
        "error",
        "root seq gathered inFlight cells failures raised end ending cancelReason draining stoppedCleanly dropped decided foretold kept trail withdrawn withdrawnPaths aborted reported totals unsafeBodies unrecordedStarts startsMissing crashes callerValues tags carried knownAs removedStarts regions openRegions",
      ],
    }
  `);
});
