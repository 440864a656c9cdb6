import { describe, expect, it } from "vitest";
import type { MillraceError } from "../../../src/base/error.ts";
import { decode, encode } from "../../../src/journal/codec/codec.ts";
import { type ClassCodec, Registry } from "../../../src/journal/codec/registry.ts";

class Money {
  readonly #amount: bigint;
  readonly currency: string;
  protected constructor(amount: bigint, currency: string) {
    this.#amount = amount;
    this.currency = currency;
  }
  static of(amount: bigint, currency: string): Money {
    return new Money(amount, currency);
  }
  get amount(): bigint {
    return this.#amount;
  }
  toJSON(): string {
    return "not used";
  }
}
class Price extends Money {}
class HttpError extends Error {
  status = 0;
}

const money: ClassCodec<Money> = {
  encode: ({ amount, currency }) => ({ amount, currency }),
  decode: (data) => {
    const { amount, currency } = data as { amount: bigint; currency: string };
    return Money.of(amount, currency);
  },
};

const codeOf = (action: () => unknown): string => {
  try {
    action();
  } catch (error) {
    return (error as MillraceError).code;
  }
  return "nothing was thrown";
};

describe("R24: registered classes", () => {
  it("come back as instances, wherever they stand, with data kept exactly", () => {
    const registry = new Registry().register("Money", Money, money);
    const original = { total: Money.of(10n, "EUR"), byName: new Map([["a", Money.of(-1n, "USD")]]) };
    const back = decode(encode(original, registry), registry) as typeof original;
    expect(back.total).toBeInstanceOf(Money);
    expect(back.total.amount).toBe(10n);
    expect(back.byName.get("a")!.currency).toBe("USD");
    expect(encode(back, registry)).toBe(encode(original, registry));
  });

  it("may be errors of one's own, and may hold each other", () => {
    const registry = new Registry().register("Money", Money, money).register("HttpError", HttpError, {
      encode: (error) => ({ message: error.message, status: error.status, cause: error.cause }),
      decode: (data) => {
        const { message, status, cause } = data as { message: string; status: number; cause: unknown };
        return Object.assign(new HttpError(message, { cause }), { status });
      },
    });
    const error = Object.assign(new HttpError("paid", { cause: Money.of(1n, "EUR") }), { status: 402 });
    const back = decode(encode([error], registry), registry) as [HttpError];
    expect(back[0]).toBeInstanceOf(HttpError);
    expect([back[0].message, back[0].status]).toEqual(["paid", 402]);
    expect((back[0].cause as Money).amount).toBe(1n);
  });

  it("are matched by the exact class when written", () => {
    const registry = new Registry().register("Money", Money, money);
    const price = Object.setPrototypeOf(Money.of(1n, "EUR"), Price.prototype) as Price;
    expect(() => encode(price, registry)).toThrow("value: instance of Price with toJSON()");
  });

  it("are matched by the registered name when read, never by a constructor", () => {
    const text = encode(Money.of(1n, "EUR"), new Registry().register("Money", Money, money));
    expect(codeOf(() => decode(text))).toBe("JournalCorrupt");
    expect(codeOf(() => decode(text, new Registry()))).toBe("JournalCorrupt");
    expect(codeOf(() => decode(text, new Registry().register("Cash", Money, money)))).toBe("JournalCorrupt");
    expect(decode(text, new Registry().register("Money", Money, money))).toBeInstanceOf(Money);
  });

  it("whose decode throws, or answers with something else, are JournalCorrupt with the cause", () => {
    const text = encode(Money.of(1n, "EUR"), new Registry().register("Money", Money, money));
    const broken = (decodeIt: (data: unknown) => Money): string =>
      codeOf(() => decode(text, new Registry().register("Money", Money, { ...money, decode: decodeIt })));
    expect(
      broken(() => {
        throw new Error("no");
      }),
    ).toBe("JournalCorrupt");
    expect(broken((data) => data as Money)).toBe("JournalCorrupt");
    expect(broken(() => null as unknown as Money)).toBe("JournalCorrupt");
  });

  it("that encode to themselves are a cycle", () => {
    const registry = new Registry().register("Money", Money, {
      encode: (value) => value,
      decode: () => Money.of(0n, ""),
    });
    expect(() => encode(Money.of(1n, "EUR"), registry)).toThrow("(Money): cycle back to value");
  });

  it("need one name each, and one class for each name", () => {
    const registry = new Registry().register("Money", Money, money);
    expect(codeOf(() => registry.register("Money", HttpError, {} as ClassCodec<HttpError>))).toBe("ClassRegistration");
    expect(codeOf(() => registry.register("Cash", Money, money))).toBe("ClassRegistration");
    expect(codeOf(() => registry.register("not a name", Price, money as ClassCodec<Price>))).toBe("ClassRegistration");
    expect(codeOf(() => registry.register("Plain", Object, {} as ClassCodec<object>))).toBe("ClassRegistration");
    expect(codeOf(() => registry.register("List", Array, {} as ClassCodec<unknown[]>))).toBe("ClassRegistration");
  });
});
