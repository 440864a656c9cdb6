// Map and Set. Their order of insertion is part of the value.

import type { Json, ValueType } from "../contract.ts";
import { corrupt } from "../corrupt.ts";
import { refuseExtras } from "./extras.ts";

export const mapType: ValueType = {
  tag: "Map",
  prototype: Map.prototype,
  write(value, writing) {
    refuseExtras(value as object, "a Map", writing);
    const pairs: Json[] = [];
    for (const [key, item] of Map.prototype.entries.call(value)) {
      writing.spend(4);
      const keyForm = writing.child({ kind: "key", at: pairs.length }, key);
      pairs.push([keyForm, writing.child({ kind: "get", at: key }, item)]);
    }
    return pairs;
  },
  read(form, reading) {
    if (!Array.isArray(form)) throw corrupt("malformed Map");
    const map = new Map<unknown, unknown>();
    for (const pair of form) {
      if (!Array.isArray(pair) || pair.length !== 2) throw corrupt("malformed Map entry");
      map.set(reading.child(pair[0]), reading.child(pair[1]));
    }
    if (map.size !== form.length) throw corrupt("a Map key occurs twice");
    return map;
  },
};

export const setType: ValueType = {
  tag: "Set",
  prototype: Set.prototype,
  write(value, writing) {
    refuseExtras(value as object, "a Set", writing);
    const items: Json[] = [];
    for (const item of Set.prototype.values.call(value)) {
      items.push(writing.child({ kind: "item", at: items.length }, item));
    }
    return items;
  },
  read(form, reading) {
    if (!Array.isArray(form)) throw corrupt("malformed Set");
    const set = new Set<unknown>();
    for (const item of form) set.add(reading.child(item));
    if (set.size !== form.length) throw corrupt("a Set item occurs twice");
    return set;
  },
};
