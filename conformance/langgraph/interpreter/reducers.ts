/** What fields do with updates. Millrace brings its own reducers of these names; this is what they are compared with. */
import type { FieldDefinition } from "../format/definition.ts";
import { isRecord, type Json } from "../format/json.ts";

export interface PlainReducer {
  /** Undefined: absent before the first update. */
  readonly init: Json | undefined;
  readonly reduce: (before: Json | undefined, update: Json) => Json;
}

export function reducerOf({ reducer, init }: FieldDefinition): PlainReducer {
  return reducer === "last" ? { ...reducers.last, init } : reducers[reducer];
}

const reducers: Readonly<Record<FieldDefinition["reducer"], PlainReducer>> = {
  last: { init: undefined, reduce: (_before, update) => update },
  append: { init: [], reduce: (before, update) => [...((before ?? []) as readonly Json[]), update] },
  add: { init: 0, reduce: (before, update) => Number(before) + Number(update) },
  max: {
    init: undefined,
    reduce: (before, update) => (typeof before === "number" ? Math.max(before, Number(update)) : update),
  },
  merge: {
    init: {},
    reduce: (before, update) => ({ ...(isRecord(before) ? before : {}), ...(isRecord(update) ? update : {}) }),
  },
};
