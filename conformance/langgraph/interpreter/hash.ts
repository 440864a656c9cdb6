import { createHash } from "node:crypto";
import type { Definition } from "../format/definition.ts";
import type { Json } from "../format/json.ts";
import { canonical } from "./canonical.ts";

/** What a vector was recorded from: graph and script, without the words about them. */
export function hashOf({ graph, script }: Definition): string {
  return createHash("sha256")
    .update(canonical({ graph, script } as unknown as Json))
    .digest("hex")
    .slice(0, 16);
}
