import { expect, test } from "vitest";
import { graph, op, type Ref } from "../../src/index.ts";
import { refusal, untyped } from "./support.ts";

const use = op("use", async ({ k }: { k: unknown }) => ({ k }));

class Box {
  readonly held: unknown;
  constructor(held: unknown) {
    this.held = held;
  }
}

const hiding: readonly [string, (ref: unknown) => unknown][] = [
  ["Map", (ref) => new Map([[1, ref]])],
  ["Map", (ref) => new Map([[ref, 1]])],
  ["Set", (ref) => new Set([ref])],
  ["Box", (ref) => new Box(ref)],
];

test.each(hiding)("a ref inside a %s is refused, for it would never become its value", (kind, hide) => {
  const { message } = refusal(() => graph("g", (input: Ref<{ x: string }>) => untyped(use)({ k: hide(input.x) })));
  expect(message).toContain(`input.x inside a ${kind}, where it is not replaced by its value`);
  expect(message).toContain("pass it as a field of a plain object or in an array");
});

test("a body that makes graphs of graphs without an end is refused with what they are called", () => {
  const make = (): ReturnType<typeof graph> => graph("again", () => ({ x: (make() as unknown as () => unknown)() }));
  expect(refusal(make).message).toContain("again > again > again");
});
