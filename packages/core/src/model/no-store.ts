import type { MillraceError } from "../base/error.ts";
import type { Store } from "./store.ts";

/** Where there is none: every call throws. */
export function noStore(refusal: () => MillraceError): Store {
  const refuse = (): never => {
    throw refusal();
  };
  return { get: refuse, put: refuse, delete: refuse, search: refuse };
}
