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
    // Setters can make a URL that its own text does not parse back to.
    if (URL.parse(href)?.href !== href) throw writing.unencodable(undefined, "URL that does not parse back");
    return href;
  },
  read(form) {
    const url = typeof form === "string" ? URL.parse(form) : null;
    if (url === null || url.href !== form) throw corrupt("malformed URL");
    return url;
  },
};
