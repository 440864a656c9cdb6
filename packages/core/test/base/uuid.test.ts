import { describe, expect, it } from "vitest";
import { uuidv7 } from "../../src/base/uuid.ts";

describe("uuidv7", () => {
  it("lays out time, version and variant as in RFC 9562", () => {
    expect(uuidv7(0x017f22e279b0, () => 0)).toBe("017f22e2-79b0-7000-8000-000000000000");
    expect(uuidv7(0, () => 1 - Number.EPSILON)).toBe("00000000-0000-7fff-bfff-ffffffffffff");
  });

  it("depends on its arguments only", () => {
    const sequence = (): (() => number) => {
      let n = 0;
      return () => (n = (n + 0.37) % 1);
    };
    expect(uuidv7(1_700_000_000_000.9, sequence())).toBe(uuidv7(1_700_000_000_000, sequence()));
  });

  it("sorts by time and does not repeat within a millisecond", () => {
    const ids = Array.from({ length: 2000 }, (_, i) => uuidv7(1_700_000_000_000 + Math.floor(i / 100), Math.random));
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    const hundreds = ids.filter((_, i) => i % 100 === 0);
    expect([...hundreds].sort()).toEqual(hundreds);
  });
});
