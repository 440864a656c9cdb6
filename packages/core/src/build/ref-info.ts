import type { Template } from "../model/plan.ts";
import type { Frame } from "./builder.ts";

/** What a ref stands for. */
export interface RefInfo {
  /** The body it belongs to. */
  readonly frame: Frame;
  readonly template: Template;
  /** As its author would write it: `listDocs.path`. */
  readonly label: string;
  /** The label serves as the segment of a stream made from this ref. */
  readonly named: boolean;
  /** Equal for two refs of one value. */
  readonly key: string;
  /**
   * What it stands for: a value; or the result of a graph call whose keys are known, as a `record` that lives in one
   * scope, or as one that holds `streams`. Results may be spread.
   */
  readonly kind: "value" | "record" | "streams";
  /** Results of blocks with arms read their fields in their own way. */
  field?(key: string, check: boolean): RefInfo;
}
