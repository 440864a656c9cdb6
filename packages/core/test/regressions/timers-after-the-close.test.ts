/** What was tried again and again (giving a run back to a store that fails) went on after its engine was closed, for ever. */
import { expect, test } from "vitest";
import { Deadlines } from "../../src/runtime/deadlines.ts";
import { systemClock } from "../../src/ports/system.ts";

test("I11 nothing is armed by what comes after the close", () => {
  const armed: number[] = [];
  const timer = (ms: number): (() => void) => {
    armed.push(ms);
    return () => undefined;
  };
  const deadlines = new Deadlines({ ...systemClock, now: () => 0, timer });
  deadlines.add(10, () => undefined);
  deadlines.close();
  deadlines.add(20, () => undefined);
  expect(armed).toEqual([10]);
});
