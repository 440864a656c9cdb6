import { expect, test } from "vitest";
import { Gaps } from "../../src/state/gaps.ts";
import { Dice } from "../../src/testing/dice.ts";

test("gaps are the set of indices that were added and not removed, whatever the order, and passing skips and forgets them", () => {
  const dice = new Dice(7);
  for (let round = 0; round < 500; round++) {
    const gaps = new Gaps();
    const indices = new Set<number>();
    for (let i = 0; i < 40; i++) {
      const index = dice.below(24);
      if (dice.fraction() < 0.7) {
        gaps.add(index);
        indices.add(index);
      } else {
        gaps.remove(index);
        indices.delete(index);
      }
      const starts = [...indices].filter((at) => !indices.has(at - 1));
      expect(gaps.size).toBe(starts.length);
    }
    for (let next = 0; next < 24; next++) {
      let expected = next;
      while (indices.delete(expected)) expected++;
      next = gaps.pass(next);
      expect(next).toBe(expected);
    }
    expect(gaps.size).toBe(0);
  }
});
