import type { ValueType } from "../contract.ts";
import { corrupt } from "../corrupt.ts";
import { refuseExtras } from "./extras.ts";

/** `[source, flags, lastIndex]`. */
export const regexpType: ValueType = {
  tag: "RegExp",
  prototype: RegExp.prototype,
  write(value, writing) {
    const { source, flags, lastIndex } = value as RegExp;
    refuseExtras(value as RegExp, "a RegExp", writing);
    if (!Number.isSafeInteger(lastIndex)) throw writing.unencodable("lastIndex", "not an integer");
    writing.spend(source.length + flags.length);
    return [source, flags, lastIndex];
  },
  read(form) {
    if (!Array.isArray(form) || form.length !== 3) throw corrupt("malformed RegExp");
    const [source, flags, lastIndex] = form as unknown[];
    if (typeof source !== "string" || typeof flags !== "string" || !Number.isSafeInteger(lastIndex)) {
      throw corrupt("malformed RegExp");
    }
    try {
      const pattern = new RegExp(source, flags);
      pattern.lastIndex = lastIndex as number;
      return pattern;
    } catch (cause) {
      throw corrupt("RegExp that does not compile", cause);
    }
  },
};
