import type { ValueType } from "../contract.ts";
import { corrupt } from "../corrupt.ts";
import { refuseExtras } from "./extras.ts";

export const urlType: ValueType = {
  tag: "URL",
  prototype: URL.prototype,
  write(value, writing) {
    refuseExtras(value as URL, "a URL", writing);
    const { href } = value as URL;
    writing.spend(href.length);
    return href;
  },
  read(form) {
    const url = typeof form === "string" ? URL.parse(form) : null;
    if (url === null || url.href !== form) throw corrupt("malformed URL");
    return url;
  },
};
