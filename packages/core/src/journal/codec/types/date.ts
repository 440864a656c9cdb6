import type { ValueType } from "../contract.ts";
import { corrupt } from "../corrupt.ts";
import { refuseExtras } from "./extras.ts";

/** ISO 8601 in UTC with milliseconds, which is exact; null for an invalid date. */
export const dateType: ValueType = {
  tag: "Date",
  prototype: Date.prototype,
  write(value, writing) {
    refuseExtras(value as Date, "a Date", writing);
    const time = Date.prototype.getTime.call(value);
    writing.spend(24);
    return Number.isNaN(time) ? null : new Date(time).toISOString();
  },
  read(form) {
    if (form === null) return new Date(Number.NaN);
    const date = typeof form === "string" ? new Date(form) : undefined;
    if (date === undefined || Number.isNaN(date.getTime()) || date.toISOString() !== form)
      throw corrupt("malformed Date");
    return date;
  },
};
